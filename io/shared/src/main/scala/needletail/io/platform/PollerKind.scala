package needletail.io.platform

/** The system interface that event loops wait with. Used on Native only; the JDK makes its own choice. */
sealed abstract class PollerKind(val name: String) {

  /** This kind, or the one that `Auto` selects. */
  private[io] def chosen: PollerKind = this

  override def toString: String = name
}

object PollerKind {

  /** The one named by the environment variable NEEDLETAIL_POLLER (`epoll` or `io_uring`), by default epoll. */
  case object Auto extends PollerKind("auto") {
    private[io] override def chosen: PollerKind =
      Option(System.getenv("NEEDLETAIL_POLLER")).flatMap(named(_)).filter(_ ne Auto).getOrElse(Epoll)
  }

  /** Linux's epoll. */
  case object Epoll extends PollerKind("epoll")

  /** Falls back to epoll if the system does not allow io_uring, as in many containers; see `EventLoops.pollerName`. */
  case object IoUring extends PollerKind("io_uring")

  /** All kinds. */
  val all: List[PollerKind] = List(Auto, Epoll, IoUring)

  /** The kind with that name: `auto`, `epoll` or `io_uring`. */
  def named(name: String): Option[PollerKind] = all.find(_.name == name)
}
