package needletail.testing

import java.io.IOException

import scala.util.{Failure, Success, Try}

/** Ports of this machine, which other programs use as well. */
object Ports {

  /**
   * Starts what listens at a certain port that was another's before: again, for a while, if that fails by an
   * `IOException`. A port that was closed may still be held by a program that is just being started, which for a moment
   * has copies of all descriptors of the one that starts it.
   */
  def onceFree[A](start: => A): A = {
    var started                 = attempt(start)
    def isTaken: Boolean        = started.failed.toOption.exists(_.isInstanceOf[IOException])
    def isThereOrFails: Boolean = {
      if (isTaken) started = attempt(start)
      !isTaken
    }
    if (isTaken) Eventually.holds(isThereOrFails)
    started.get
  }

  private def attempt[A](start: => A): Try[A] =
    try Success(start)
    catch { case e: IOException => Failure(e) }
}
