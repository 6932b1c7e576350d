package needletail.load.command.options

import java.nio.file.{InvalidPathException, Path, Paths}

import scala.concurrent.duration._

import needletail.load.plan.Pause

/** Parses values of command line options. Left is the error. */
private[command] object OptionValues {
  private val Time = """(\d+(?:\.\d+)?)\s*(us|ms|s|m|min|h)""".r

  /** Positive durations, separated by commas. */
  def durations(text: String): Either[String, Vector[FiniteDuration]] =
    text.split(",", -1).toVector.foldLeft[Either[String, Vector[FiniteDuration]]](Right(Vector.empty)) {
      (all, one) =>
        for {
          good <- all; next <- duration(one).filterOrElse(_ > Duration.Zero, "a time must be more than 0")
        } yield good :+ next
    }

  /** `500ms`, `10s`, `1.5m`, `1h`. */
  def duration(text: String): Either[String, FiniteDuration] = text.trim match {
    case Time(number, unit) =>
      val nanos = unit match {
        case "us"        => 1e3
        case "ms"        => 1e6
        case "s"         => 1e9
        case "m" | "min" => 60e9
        case _           => 3600e9
      }
      val length = number.toDouble * nanos
      if (length > 30L * 24 * 3600 * 1e9) Left(s"$text is more than 30 days")
      else Right(length.toLong.nanos.toCoarsest)
    case other if other.nonEmpty && other.forall(_.isDigit) => Left(s"$other has no unit: is it ${other}s?")
    case other => Left(s""""$other" is not a duration; write 500ms, 10s, 5m or 1h""")
  }

  def positive(text: String): Either[String, FiniteDuration] =
    duration(text).filterOrElse(_ > Duration.Zero, "it must be more than 0")

  /** At least a second, as results are by whole seconds. */
  def aSecond(text: String): Either[String, FiniteDuration] =
    duration(text).filterOrElse(_ >= 1.second, "it must be at least 1s")

  /** `1s`, `500ms-1500ms` (uniform) or `normal:1s,500ms`. */
  def pause(text: String): Either[String, Pause] = {
    def both(parts: Array[String])(make: (FiniteDuration, FiniteDuration) => Pause) =
      if (parts.length != 2) Left(s""""$text" is not a pause; write 1s, 500ms-1500ms or normal:1s,500ms""")
      else for { a <- duration(parts(0)); b <- duration(parts(1)) } yield make(a, b)
    if (text.startsWith("normal:")) both(text.drop(7).split(','))(Pause.Normal(_, _))
    else if (text.contains('-'))
      both(text.split('-'))(Pause.Uniform(_, _)).flatMap {
        case Pause.Uniform(least, most) if least > most => Left(s"in $text the longer pause comes first")
        case good                                       => Right(good)
      }
    else duration(text).map(Pause.Constant(_))
  }

  /** `Name: value`. */
  def header(text: String): Either[String, (String, String)] = {
    val at = text.indexOf(':')
    if (at < 1) Left(s""""$text" is not a header; write Name: value""")
    else {
      val (name, value) = (text.take(at).trim, text.drop(at + 1).trim)
      if (name.isEmpty || !name.forall(c => c > ' ' && c < 0x7f && !"\"(),/:;<=>?@[\\]{}".contains(c)))
        Left(s""""$name" is not a header name""")
      else if (value.exists(c => c == '\r' || c == '\n' || c == '\u0000'))
        Left(s"the value of $name has a line break")
      else Right((name, value))
    }
  }

  /** Whether a header means that its connection serves no other request. */
  def closes(header: (String, String)): Boolean =
    header._1.equalsIgnoreCase("Connection") && header._2.equalsIgnoreCase("close")

  /** A URL that can be requested; `localhost:8080/path` is accepted. Left is the error. */
  def url(text: String): Either[String, String] = {
    val whole = if (text.contains("://")) lowerScheme(text) else s"http://$text"
    if (whole.startsWith("http+unix://"))
      if (whole.length > "http+unix://".length && !whole.startsWith("http+unix:///")) Right(whole)
      else Left(s"$text: write http+unix://%2Fpath%2Fto%2Fsocket/path")
    else if (!Schemes.exists(whole.startsWith))
      Left(s"$text: only http://, https://, http+unix://, ws:// and wss:// are known")
    else
      try {
        // variables of a scenario are not valid in a URI
        val uri = new java.net.URI(whole)
        if (uri.getRawUserInfo != null)
          Left("a URL must not contain credentials; use --header \"Authorization: ...\"")
        else if (uri.getHost == null || uri.getHost.isEmpty) Left(noHost(text))
        else if (uri.getPort == 0 || uri.getPort > 65535) Left(s"$text: there is no port ${uri.getPort}")
        else if (uri.getRawFragment != null) Left(s"$text: a fragment (#) is never sent to a server")
        else Right(if (uri.getRawPath.isEmpty) withPath(whole, uri) else whole)
      } catch {
        case e: java.net.URISyntaxException =>
          Left(s"$text is not a URL: ${e.getReason} at position ${e.getIndex}")
      }
  }

  private val Schemes = Vector("http://", "https://", "ws://", "wss://")

  private def noHost(text: String): String =
    if (text.forall(_ < 128)) s"$text names no host"
    else
      s"$text has a host name that cannot be resolved; write international names as xn--..."

  /** Schemes are case-insensitive (RFC 3986, section 3.1). */
  private def lowerScheme(text: String): String = {
    val end = text.indexOf("://")
    text.take(end).toLowerCase(java.util.Locale.ROOT) + text.drop(end)
  }

  def path(text: String): Either[String, Path] =
    try Right(Paths.get(text))
    catch { case e: InvalidPathException => Left(s"$text is not a path: ${e.getReason}") }

  /** A whole number from `least` to `most`. */
  def number(least: Int, most: Int)(text: String): Either[String, Int] =
    text.replace("_", "").toIntOption.filter(n => n >= least && n <= most)
      .toRight(s""""$text" is not a whole number${if (most == Int.MaxValue) s" from $least on"
        else s" from $least to $most"}""")

  def decimal(text: String): Either[String, Double] =
    text.stripSuffix("/s").replace("_", "").toDoubleOption.filter(n => n > 0 && n <= 1e8)
      .toRight(s""""$text" is not a rate: write requests per second, such as 2000""")

  def share(text: String): Either[String, Double] =
    text.stripSuffix("%").trim.toDoubleOption.filter(n => n >= 0 && n < 100).map(_ / 100)
      .toRight(s""""$text" is not a percentage: write a number such as 3""")

  def method(text: String): Either[String, String] =
    if (text.nonEmpty && text.forall(c => c > ' ' && c < 0x7f && !"\"(),/:;<=>?@[\\]{}".contains(c)))
      Right(text)
    else Left(s""""$text" is not a method""")

  /** `200,201`. */
  def statuses(text: String): Either[String, Set[Int]] = {
    val codes = text.split(',').map(_.trim).filter(_.nonEmpty).toVector
    codes.find(code => !code.toIntOption.exists(n => n >= 200 && n < 600)) match {
      case Some(code)            => Left(s"\"$code\" is not a status code: write 200,201")
      case None if codes.isEmpty => Left("a status is missing: write 200,201")
      case None                  => Right(codes.map(_.toInt).toSet)
    }
  }

  /** The path "/" instead of none. Further question marks belong to the query. */
  private def withPath(whole: String, uri: java.net.URI): String =
    if (uri.getRawQuery == null) whole + "/"
    else {
      val (before, query) = whole.splitAt(whole.indexOf('?'))
      s"$before/$query"
    }
}
