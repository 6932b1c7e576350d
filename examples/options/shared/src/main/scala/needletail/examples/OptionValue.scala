package needletail.examples

import scala.concurrent.duration.{DurationLong, FiniteDuration}

/** Parses values of options. Left is what was expected. */
private[examples] object OptionValue {

  def int(text: String, range: Range): Either[String, Int] =
    text.toIntOption.filter(range.contains) match {
      case Some(value) => Right(value)
      case None        => Left(s"a whole number from ${range.head} to ${range.last}")
    }

  def duration(text: String): Either[String, FiniteDuration] = {
    val (digits, unit) = split(text)
    val value          = for {
      number <- whole(digits)
      each   <- nanosIn(unit)
      if number <= Long.MaxValue / each
    } yield (number * each).nanos
    value.toRight("a duration such as 200ms, 5s, 1m, 2h or 1d")
  }

  def size(text: String): Either[String, Long] = {
    val (digits, unit) = split(text)
    val value          = for {
      number <- whole(digits)
      each   <- bytesIn(unit)
      if number <= Long.MaxValue / each
    } yield number * each
    value.toRight("a number of bytes such as 65536, 64k, 10m or 2g")
  }

  /** In the largest unit that leaves a whole number, as [[duration]] reads it. */
  def show(value: FiniteDuration): String = {
    val nanos = value.toNanos
    List("d", "h", "m", "s", "ms", "us").find(unit =>
      nanos != 0 && nanosIn(unit).exists(nanos % _ == 0)
    ) match {
      case Some(unit)         => s"${nanos / nanosIn(unit).get}$unit"
      case None if nanos == 0 => "0s"
      case None               => s"${nanos}ns"
    }
  }

  /** In the largest unit that leaves a whole number, as [[size]] reads it. */
  def show(bytes: Long): String =
    List("g", "m", "k").find(unit => bytes != 0 && bytesIn(unit).exists(bytes % _ == 0)) match {
      case Some(unit) => s"${bytes / bytesIn(unit).get}$unit"
      case None       => bytes.toString
    }

  private def split(text: String): (String, String) = text.span(c => c >= '0' && c <= '9')

  private def whole(digits: String): Option[Long] = digits.toLongOption // callers pass digits only, no sign

  private def nanosIn(unit: String): Option[Long] = unit match {
    case "ns" => Some(1L)
    case "us" => Some(1000L)
    case "ms" => Some(1000000L)
    case "s"  => Some(1000000000L)
    case "m"  => Some(60 * 1000000000L)
    case "h"  => Some(3600 * 1000000000L)
    case "d"  => Some(24 * 3600 * 1000000000L)
    case _    => None
  }

  private def bytesIn(unit: String): Option[Long] = unit.toLowerCase match {
    case ""  => Some(1L)
    case "k" => Some(1024L)
    case "m" => Some(1024L * 1024)
    case "g" => Some(1024L * 1024 * 1024)
    case _   => None
  }
}
