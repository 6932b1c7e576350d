import scala.xml.{Elem, Node, NodeSeq}
import scala.xml.transform.{RewriteRule, RuleTransformer}

object Pom {

  /** Without what only our own tests need, which is not published. */
  def withoutTests(pom: Node): Node = {
    val rule = new RewriteRule {
      override def transform(node: Node): NodeSeq = node match {
        case dependency: Elem if dependency.label == "dependency" && (dependency \ "scope").text == "test" =>
          NodeSeq.Empty
        case other => other
      }
    }
    new RuleTransformer(rule).transform(pom).head
  }
}
