package needletail.load.command.options

import java.nio.file.Path

import scala.concurrent.duration.FiniteDuration

import scopt.{OParser, OParserBuilder}

/** How options and arguments are declared: name, form and description, how the text is read, what it sets. */
private object OptionSyntax {
  val builder: OParserBuilder[Options] = OParser.builder[Options]
  import builder._

  type Part = OParser[?, Options]

  def target(name: String, what: String): Part =
    arg[String](name).text(what).action((text, o) => o.copy(target = text))

  def files(name: String, what: String, least: Int, most: Int): Part =
    arg[String](name).text(what).minOccurs(least).maxOccurs(most)
      .validate(OptionValues.path(_).map(_ => ()))
      .action((text, o) => OptionValues.path(text).fold(_ => o, p => o.copy(files = o.files :+ p)))

  def repeated[A](name: String, shape: String, what: String)(read: String => Either[String, A])(
      set: (A, Options) => Options
  ): Part = value(name, shape, what)(read)(set).unbounded()

  def value[A](name: String, shape: String, what: String)(read: String => Either[String, A])(
      set: (A, Options) => Options
  ): OParser[String, Options] =
    opt[String](name).valueName(shape).text(what)
      .validate(text => read(text).left.map(reason => s"--$name: $reason").map(_ => ()))
      .action((text, o) => read(text).fold(_ => o, set(_, o)))

  def time(name: String, what: String)(set: (FiniteDuration, Options) => Options): Part =
    value(name, "TIME", what)(OptionValues.duration)(set)

  /** A duration above 0. */
  def span(name: String, what: String)(set: (FiniteDuration, Options) => Options): Part =
    value(name, "TIME", what)(OptionValues.positive)(set)

  def file(name: String, what: String)(set: (Path, Options) => Options): Part =
    value(name, "FILE", what)(OptionValues.path)(set)

  def flag(name: String, what: String)(set: Options => Options): Part =
    opt[Unit](name).text(what).action((_, o) => set(o))
}
