package needletail.io

/**
 * Which of the system's interfaces event loops wait with. It matters on Native under Linux alone; the JVM has one of
 * its own and uses that.
 */
sealed abstract class PollerKind(val name: String) {

  /** Itself, or what stands for `Auto`. */
  private[io] def chosen: PollerKind = this

  override def toString: String = name
}

object PollerKind {

  /** What the environment variable NEEDLETAIL_POLLER names (`epoll` or `io_uring`); without it, epoll. */
  case object Auto extends PollerKind("auto") {
    private[io] override def chosen: PollerKind =
      Option(System.getenv("NEEDLETAIL_POLLER")).flatMap(named(_)).filter(_ ne Auto).getOrElse(Epoll)
  }

  case object Epoll extends PollerKind("epoll")

  /** Where the system allows it, which many containers do not, and else epoll; `EventLoops.pollerName` tells. */
  case object IoUring extends PollerKind("io_uring")

  val all: List[PollerKind] = List(Auto, Epoll, IoUring)

  /** By its name: `auto`, `epoll` or `io_uring`. */
  def named(name: String): Option[PollerKind] = all.find(_.name == name)
}
