import sbt.internal.inc.Analysis
import xsbti.api.{AnalyzedClass, ClassLike, DefinitionType, Public, TypeMember}
import xsbti.compile.CompileAnalysis

/**
 * What a wildcard import of each module's package brings into scope, as the compiler recorded it. A program that imports two
 * modules by wildcards must be able to use every name: no two packages may have the same one, aliases of one definition
 * included, since Scala 2 takes two terms for ambiguous even then. `faults` lists the names that two packages have.
 */
object WildcardNames {

  /** Packages that users import as they do the modules' own. */
  private val others = Seq("needletail.gateway.host")

  /**
   * Packages of which one is imported by a wildcard and the other by names: the routing DSL has the names of `http` that
   * routes are written with, and `jsoniter` those of `json` that it replaces.
   */
  private val alternatives = Set(
    Set("needletail.http", "needletail.routing"),
    Set("needletail.json", "needletail.jsoniter")
  )

  /** The names of a package: those of classes, objects, members of its package object, and packages below it. */
  private final case class Names(types: Set[String], terms: Set[String], packages: Set[String]) {
    def shared(other: Names): Set[String] =
      (types & other.types) ++ (terms & other.terms) ++ (terms & other.packages) ++ (packages & other.terms)
  }

  def faults(modules: Seq[String], analyses: Seq[CompileAnalysis]): Seq[String] = {
    val classes = analyses.collect { case a: Analysis => a.apis.internal.toSeq }.flatten.toMap
    val names   = (modules.map("needletail." + _) ++ others).map(p => p -> namesOf(p, classes))
    for {
      (pkg, own)       <- names
      (other, foreign) <- names
      if pkg < other && !alternatives(Set(pkg, other))
      name <- own.shared(foreign).toSeq.sorted
    } yield s"$name is in $pkg and in $other: programs that import both by wildcards cannot use it"
  }

  private def namesOf(pkg: String, classes: Map[String, AnalyzedClass]): Names = {
    val below    = classes.filter { case (name, _) => name.startsWith(pkg + ".") }
    val packages = below.keySet.map(packageOf(_, classes)).filter(_.startsWith(pkg + ".")).map { p =>
      p.drop(pkg.length + 1).takeWhile(_ != '.')
    }
    val top     = below.toSeq.filter { case (name, _) => packageOf(name, classes) == pkg }
    val defined = top.filterNot(_._1 == s"$pkg.package").map { case (name, c) =>
      val simple = name.drop(pkg.length + 1)
      (if (isPublic(c.api.classApi)) Set(simple) else Set.empty[String]) ->
        (if (isPublic(c.api.objectApi)) Set(simple) else Set.empty[String])
    }
    val members = classes.get(s"$pkg.package").toSeq.flatMap { c =>
      val structure = c.api.objectApi.structure
      structure.declared ++ structure.inherited
    }.filter(m => m.access.isInstanceOf[Public] && !ofEveryObject(m.name))
    val (types, terms) = members.partition(m => m.isInstanceOf[TypeMember])
    val classLikes     = members.collect { case c: xsbti.api.ClassLikeDef => c }
    val objects        = classLikes.filter(_.definitionType == DefinitionType.Module).map(_.name)
    Names(
      defined.flatMap(_._1).toSet ++ types.map(_.name) ++
        classLikes.filterNot(_.definitionType == DefinitionType.Module).map(_.name),
      defined.flatMap(
        _._2
      ).toSet ++ terms.filterNot(_.isInstanceOf[xsbti.api.ClassLikeDef]).map(_.name) ++ objects,
      packages
    )
  }

  /** The package of a class, which may be within another one. */
  private def packageOf(name: String, classes: Map[String, AnalyzedClass]): String = {
    val outer = name.take(name.lastIndexOf('.'))
    if (classes.contains(outer)) packageOf(outer, classes) else outer.stripSuffix(".package")
  }

  /** Whether it exists, since the record of an object without a class has an empty class, and is public. */
  private def isPublic(c: ClassLike): Boolean =
    c.access.isInstanceOf[Public] && c.structure.parents.nonEmpty

  /** Members of AnyRef, which an import does not bring. */
  private val ofEveryObject = classOf[Object].getMethods.map(_.getName).toSet ++
    Set(
      "clone",
      "finalize",
      "<init>",
      "==",
      "!=",
      "##",
      "eq",
      "ne",
      "synchronized",
      "$asInstanceOf",
      "$isInstanceOf",
      "asInstanceOf",
      "isInstanceOf"
    )
}
