package needletail.examples

import scala.concurrent.duration.FiniteDuration

import needletail.gateway.Gateway

/**
 * The command line options of a program: their declarations, help and values.
 *
 * {{{
 *   val options = Options("hello", "Says hello.")
 *   val host    = options.text("host", "127.0.0.1", "address to listen on")
 *   val port    = options.int("port", 8080, "port to listen on; 0 picks a free one", 0 to 65535)
 *
 *   def main(args: Array[String]): Unit = options.run(args) { chosen => serve(chosen(host), chosen(port)) }
 * }}}
 *
 * Options are written `--name value` or `--name=value`; a flag is `--name` alone; of an option given twice the
 * last one counts, except for `texts`. `--help` is always there. Not thread-safe while options are being declared.
 */
final class Options private (program: String, about: String) {
  private var declared = Vector.empty[Options.Opt[_]]

  /** Any text. */
  def text(name: String, default: String, help: String): Options.Opt[String] =
    add(name, "TEXT", default, default, help)(Right(_))

  /** Any texts, in order: the option may be given several times. */
  def texts(name: String, help: String): Options.Opt[Seq[String]] =
    add[Seq[String]](name, "TEXT", Nil, "", help, _ ++ _)(text => Right(Seq(text)))

  /** A whole number within `range`. */
  def int(name: String, default: Int, help: String, range: Range = 0 to Int.MaxValue - 1): Options.Opt[Int] =
    add(name, "N", default, default.toString, help)(OptionValue.int(_, range))

  /** A duration: `5s`, `200ms`, `1m`, `2h`. */
  def duration(name: String, default: FiniteDuration, help: String): Options.Opt[FiniteDuration] =
    add(name, "TIME", default, OptionValue.show(default), help)(OptionValue.duration)

  /** A number of bytes: `65536`, `64k`, `10m`, `2g`; powers of 1024. */
  def size(name: String, default: Long, help: String): Options.Opt[Long] =
    add(name, "BYTES", default, OptionValue.show(default), help)(OptionValue.size)

  /** One of `values`, by name. */
  def choice[A](name: String, default: A, help: String, values: Seq[A]): Options.Opt[A] =
    add(name, "NAME", default, default.toString, help) { text =>
      values.find(_.toString == text).toRight(values.mkString("one of ", ", ", ""))
    }

  /** A flag: false unless given. */
  def flag(name: String, help: String): Options.Opt[Boolean] =
    add(name, "", default = false, "", help)(_ => Right(true))

  /** Parses `args`. Left is the error, for the user. */
  def parse(args: Seq[String]): Either[Options.Problem, Options.Values] = {
    @scala.annotation.tailrec
    def loop(rest: List[String], chosen: Map[Options.Opt[_], Any]): Either[Options.Problem, Options.Values] =
      rest match {
        case Nil               => Right(new Options.Values(chosen))
        case "--help" :: _     => Left(Options.Help(help))
        case argument :: after =>
          one(argument, after) match {
            case Right((option, value, remaining)) => loop(remaining, option.addTo(chosen, value))
            case Left(message)                     => Left(Options.Malformed(message))
          }
      }
    loop(args.toList, Map.empty)
  }

  /**
   * Runs `body` with the values of `args`. `--help` prints the options and exits with status 0; an error is printed to
   * standard error, with exit status 2. A CGI program has no options, as its arguments may come from its client.
   */
  def run(args: Array[String])(body: Options.Values => Unit): Unit =
    parse(Gateway.arguments(args).toSeq) match {
      case Right(chosen)            => body(chosen)
      case Left(Options.Help(text)) =>
        System.out.print(text)
        System.out.flush()
        sys.exit(0)
      case Left(Options.Malformed(message)) => refuse(message)
    }

  /** What `make` makes of values of options; if these are not allowed, that is printed, as by `run`. */
  def made[A](make: => A): A =
    try make
    catch { case e: IllegalArgumentException => refuse(Option(e.getMessage).getOrElse(e.toString)) }

  /** Prints what is wrong with the options to standard error, and exits with status 2. */
  private[examples] def refuse(problem: String): Nothing = {
    System.err.println(refusal(problem))
    sys.exit(2)
  }

  private[examples] def refusal(problem: String): String = s"$program: $problem\nTry '$program --help'."

  /** The output of `--help`. */
  def help: String = {
    val rows  = declared.map(option => (option.usage, option.described)) :+ (("--help", "print this help"))
    val width = rows.map(_._1.length).max
    rows
      .map { case (usage, described) => s"  ${usage.padTo(width, ' ')}  $described" }
      .mkString(s"$about\n\nUsage: $program [OPTION]...\n\n", "\n", "\n")
  }

  private def one(
      argument: String,
      after: List[String]
  ): Either[String, (Options.Opt[_], Any, List[String])] =
    if (!argument.startsWith("--") || argument == "--") Left(s"unexpected argument '$argument'")
    else {
      val equals   = argument.indexOf('=')
      val name     = if (equals < 0) argument.drop(2) else argument.slice(2, equals)
      val attached = if (equals < 0) None else Some(argument.drop(equals + 1))
      declared.find(_.name == name) match {
        case None                          => Left(s"unknown option '--$name'")
        case Some(option) if option.isFlag =>
          if (attached.isEmpty) Right((option, true, after)) else Left(s"option '--$name' takes no value")
        case Some(option) =>
          (attached, after) match {
            case (Some(value), _)                                      => read(option, value, after)
            case (None, value :: remaining) if !value.startsWith("--") => read(option, value, remaining)
            case _ => Left(s"option '--$name' needs a value")
          }
      }
    }

  private def read(
      option: Options.Opt[_],
      value: String,
      remaining: List[String]
  ): Either[String, (Options.Opt[_], Any, List[String])] =
    option.read(value) match {
      case Right(read)    => Right((option, read, remaining))
      case Left(expected) => Left(s"option '--${option.name}': expected $expected, got '$value'")
    }

  private def add[A](
      name: String,
      kind: String,
      default: A,
      shown: String,
      help: String,
      join: (A, A) => A = (_: A, last: A) => last
  )(
      read: String => Either[String, A]
  ): Options.Opt[A] = {
    require(name != "help" && !declared.exists(_.name == name), s"option '--$name' is already declared")
    val option = new Options.Opt[A](name, kind, default, shown, help, read, join)
    declared :+= option
    option
  }
}

object Options {

  /** `about` is the first sentence of `--help`. */
  def apply(program: String, about: String): Options = new Options(program, about)

  /** An option of a program; [[Values]] has its value. */
  final class Opt[A] private[Options] (
      private[Options] val name: String,
      kind: String,
      private[Options] val default: A,
      shownDefault: String,
      help: String,
      private[Options] val read: String => Either[String, A],
      join: (A, A) => A
  ) {

    /** The values so far, and this value. */
    private[Options] def addTo(chosen: Map[Opt[_], Any], value: Any): Map[Opt[_], Any] = {
      val last = value.asInstanceOf[A]
      chosen.updated(this, chosen.get(this).fold(last)(before => join(before.asInstanceOf[A], last)))
    }

    private[Options] def isFlag: Boolean = kind.isEmpty

    private[Options] def usage: String = if (isFlag) s"--$name" else s"--$name $kind"

    private[Options] def described: String =
      if (shownDefault.isEmpty) help else s"$help (default: $shownDefault)"
  }

  /** The values of all options: given ones, otherwise the defaults. */
  final class Values private[Options] (values: Map[Opt[_], Any]) {
    def apply[A](option: Opt[A]): A = values.get(option) match {
      case Some(value) => value.asInstanceOf[A] // put there by the same option
      case None        => option.default
    }

    /** Whether the option was given, even with its default value. */
    def has(option: Opt[_]): Boolean = values.contains(option)
  }

  /** Why the program does not run. */
  sealed trait Problem

  /** Help was requested; `text` is all of it. */
  final case class Help(text: String) extends Problem

  /** An option is unknown or malformed. */
  final case class Malformed(message: String) extends Problem
}
