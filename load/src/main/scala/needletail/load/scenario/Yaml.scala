package needletail.load.scenario

import scala.collection.mutable
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import org.snakeyaml.engine.v2.api.LoadSettings
import org.snakeyaml.engine.v2.api.lowlevel.Compose
import org.snakeyaml.engine.v2.exceptions.{Mark, MarkedYamlEngineException, YamlEngineException}
import org.snakeyaml.engine.v2.nodes.{MappingNode, Node, ScalarNode, SequenceNode}

/** A mistake in a file; caught in `Scenario.read`. */
private[scenario] final class Mistake(val at: Place, val reason: String)
    extends RuntimeException(reason, null, false, false)

/** A place in a file: line and column, both from 1. */
private[scenario] final case class Place(line: Int, column: Int)

private[scenario] object Place {
  val start: Place = Place(1, 1)

  /** `start` for a library that does not know it. */
  def of(mark: Option[Mark]): Place = mark.fold(start)(m => Place(m.getLine + 1, m.getColumn + 1))
}

/** A node of a YAML document. Its methods read it as a type, or throw a mistake with its line. */
private[scenario] final class Yaml(node: Node, val name: String) {
  def fail(reason: String): Nothing = throw new Mistake(Yaml.placeOf(node), reason)

  private def expected(what: String): Nothing = fail(s"$name must be $what, not ${Yaml.describe(node)}")

  def text: String = node match {
    case scalar: ScalarNode => scalar.getValue
    case _                  => expected("text")
  }

  def isText: Boolean = node.isInstanceOf[ScalarNode]

  /** A whole number of at least `least`. */
  def int(least: Int): Int = number(s"a whole number from $least up")(_.toIntOption.filter(_ >= least))

  /** A number from 0 up. */
  def double: Double =
    number("a number from 0 up")(_.toDoubleOption.filter(d => d >= 0 && !d.isInfinite))

  def boolean: Boolean = number("true or false") {
    case "true"  => Some(true)
    case "false" => Some(false)
    case _       => None
  }

  /** A duration, above 0 unless `zero` allows 0: `500 ms`, `10 s`, `2 min`, `1 h`. */
  def duration(zero: Boolean = false): FiniteDuration =
    number("a duration such as 500 ms, 10 s or 2 min")(Yaml.duration) match {
      case d if d > Duration.Zero || zero => d
      case _                              => fail(s"$name must be above 0")
    }

  private def number[A](what: String)(read: String => Option[A]): A = node match {
    case scalar: ScalarNode => read(scalar.getValue.trim).getOrElse(expected(what))
    case _                  => expected(what)
  }

  /** The elements of a sequence; a single value is a sequence of one. */
  def list: Vector[Yaml] = node match {
    case sequence: SequenceNode => sequence.getValue.asScala.toVector.map(new Yaml(_, s"an element of $name"))
    case _                      => Vector(this)
  }

  /** The elements of a sequence that must have at least one. */
  def sequence(of: String): Vector[Yaml] = node match {
    case s: SequenceNode if !s.getValue.isEmpty => s.getValue.asScala.toVector.map(new Yaml(_, of))
    case _                                      => expected(s"a list with at least one element")
  }

  /** The entries of a mapping with arbitrary names, in order. */
  def entries: Vector[(String, Yaml)] = {
    val keys = mutable.Set.empty[String]
    tuples.map { case (key, value) =>
      val text = new Yaml(key, s"a name in $name").text
      if (!keys.add(text)) throw new Mistake(Yaml.placeOf(key), s"'$text' occurs twice in $name")
      (text, new Yaml(value, text))
    }
  }

  /** A mapping in which only these names are allowed. */
  def fields(known: String*): Fields = {
    val all = entries
    all.zip(tuples).foreach { case ((key, _), (node, _)) =>
      if (!known.contains(key))
        throw new Mistake(
          Yaml.placeOf(node),
          s"unknown key '$key' in $name; known keys are ${known.mkString(", ")}"
        )
    }
    new Fields(this, all.toMap)
  }

  private def tuples: Vector[(Node, Node)] = node match {
    case mapping: MappingNode => mapping.getValue.asScala.toVector.map(t => (t.getKeyNode, t.getValueNode))
    case _                    => expected("a mapping of names to values")
  }
}

/** The entries of a mapping, by name. */
private[scenario] final class Fields(val owner: Yaml, all: Map[String, Yaml]) {
  def get(name: String): Option[Yaml] = all.get(name)
  def has(name: String): Boolean      = all.contains(name)

  def need(name: String): Yaml = all.getOrElse(name, owner.fail(s"${owner.name} lacks '$name'"))

  /** The one of these that is present. */
  def one(names: String*): Option[(String, Yaml)] = names.filter(has) match {
    case Seq()     => None
    case Seq(name) => Some((name, all(name)))
    case several => all(several(1)).fail(s"${several.mkString(" and ")} exclude each other in ${owner.name}")
  }
}

private[scenario] object Yaml {

  /** Parses a document. Throws `Mistake`. */
  def parse(text: String): Yaml =
    try
      new Compose(LoadSettings.builder().setUseMarks(true).build()).composeString(text).toScala match {
        case Some(node) => new Yaml(node, "the scenario")
        case None       => throw new Mistake(Place.start, "it is empty")
      }
    catch {
      case e: MarkedYamlEngineException =>
        val mark = e.getProblemMark.toScala.orElse(e.getContextMark.toScala)
        throw new Mistake(
          Place.of(mark),
          if (mark.exists(isHole(text, _)))
            "within braces or brackets, a value such as /x/${id} must be in quotes: '/x/${id}'"
          else s"this is not YAML: ${e.getProblem}"
        )
      case e: YamlEngineException => throw new Mistake(Place.start, s"this is not YAML: ${e.getMessage}")
      case _: StackOverflowError  =>
        throw new Mistake(Place.start, "its brackets are nested too deeply") // the library recurses
    }

  /** Whether the parser stopped at the brace of `${`, which begins a mapping there. */
  private def isHole(text: String, mark: Mark): Boolean =
    text.linesIterator.drop(mark.getLine).nextOption().exists(_.startsWith("${", mark.getColumn - 1))

  private def placeOf(node: Node): Place = Place.of(node.getStartMark.toScala)

  private def describe(node: Node): String = node match {
    case scalar: ScalarNode if scalar.getValue.isEmpty => "nothing"
    case scalar: ScalarNode                            =>
      val text = scalar.getValue
      if (text.length <= LongestTold) s"'$text'" else s"'${text.take(LongestTold)}…'"
    case s: SequenceNode => if (s.getValue.isEmpty) "an empty list" else "a list"
    case _               => "a mapping"
  }

  private final val LongestTold = 80

  private val Amount = """(\d+(?:\.\d+)?)\s*(us|ms|s|min|h)""".r

  def duration(text: String): Option[FiniteDuration] = text match {
    case Amount(number, unit) =>
      val nanos = number.toDouble * (unit match {
        case "us"  => 1e3
        case "ms"  => 1e6
        case "s"   => 1e9
        case "min" => 60e9
        case _     => 3600e9
      })
      if (nanos <= Long.MaxValue / 2) Some(nanos.toLong.nanos) else None
    case "0" => Some(Duration.Zero)
    case _   => None
  }
}
