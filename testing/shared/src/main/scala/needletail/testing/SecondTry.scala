package needletail.testing

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths, StandardOpenOption}
import scala.concurrent.duration.Duration
import scala.util.{Failure, Try}

/**
 * Runs the body of a test, and once more if it fails and the environment variable NEEDLETAIL_SECOND_TRY names a file:
 * a line about each test that only passed then is added to that file. For machines that are shared, where a line is
 * wanted and not a failure; without the variable, as for everybody who types `./test`, the first try decides.
 */
private[testing] object SecondTry {

  /** Records the tests that passed on a second try; None if there are no second tries. */
  val note: Option[String => Unit] =
    sys.env.get("NEEDLETAIL_SECOND_TRY").filter(_.nonEmpty).map(file => append(file, _))

  /**
   * As `Bounded.run`. A body that exceeded the limit is not run again, as its first thread may still be in it.
   *
   * @param isSkip whether what the body threw means that the test is skipped
   * @param note   called with a line for each test that passed on the second try; without it there is none
   */
  def run(name: String, limit: Duration, isSkip: Throwable => Boolean, note: Option[String => Unit])(
      body: () => Any
  ): Try[Any] = {
    val first = Bounded.run(name, limit)(body)
    (first, note) match {
      case (Failure(_: Bounded.Hung), _)       => first
      case (Failure(e), Some(_)) if !isSkip(e) =>
        val second = Bounded.run(name, limit)(body)
        if (second.isSuccess) note.foreach(_(s"$name (first: ${s"$e".linesIterator.take(3).mkString(" ")})"))
        second
      case _ => first
    }
  }

  private def append(file: String, line: String): Unit = synchronized {
    Files.write(
      Paths.get(file),
      s"$line\n".getBytes(UTF_8),
      StandardOpenOption.CREATE,
      StandardOpenOption.APPEND
    )
    ()
  }
}
