package needletail.load.engine.worker

import java.io.IOException
import java.net.{BindException, ConnectException, SocketTimeoutException, UnknownHostException}

import scala.util.{Failure, Success}

import needletail.async.Async
import needletail.client.connection.{ClientConnection, ConnectionOwner, DirectConnection}
import needletail.load.engine.compiled.Target
import needletail.load.result.Outcome

/** A slot for one connection, which is opened on demand and after a loss. To be used on its worker's loop. */
private[engine] abstract class LoadConnection(worker: Worker, target: Target) extends ConnectionSlot
    with ConnectionOwner {
  private var present: Link = null
  private var opening       = false
  private var begun         = 0L
  private var session       = -1 // its number, while it is open or being opened by TLS

  protected def opened(): Unit
  protected def openFailed(outcome: Outcome): Unit

  /** The connection has ended. */
  protected def lost(): Unit

  final def connection: Link   = present
  final def isOpening: Boolean = opening

  final def isUsable: Boolean = present != null && present.isUsable

  final def accepts(exchange: InFlightRequest): Boolean = present != null && present.accepts(exchange)

  /** Opens a connection within that time. */
  final def open(timeoutNanos: Long): Unit = {
    opening = true
    begun = worker.loop.clockNanos
    if (target.peer != null && session < 0) session = worker.sessions.take()
    attempt(0, worker.loop.clockNanos + timeoutNanos)
  }

  private def connect(number: Int, until: Long): Async[Link] = {
    val nanos   = math.max(1, until - worker.loop.clockNanos)
    val source  = if (target.isTcp) worker.nextSource() else null
    val address = target.address(number)
    val peer    = if (session < 0) target.peer else target.peer.apart(session)
    if (target.webSocket != null) WebSocketLink.open(address, worker, gone, target, nanos, source, peer)
    else
      DirectConnection
        .open(address, worker.context, this, target.origin.text, nanos, source, peer)
        .map(new HttpLink(_))
  }

  private def attempt(number: Int, until: Long): Unit =
    connect(number, until)
      .onComplete {
        case Success(made) =>
          if (number > 0) target.preferred = (target.preferred + number) % target.addresses.size
          opening = false
          present = made
          lastAnswer = worker.loop.clockNanos
          val tls = made.tlsSession
          worker.tally.opened(lastAnswer - begun, tls.fold(0L)(_.nanos), tls.exists(_.isResumed))
          if (worker.isStopped) made.close() else opened()
        case Failure(_) if worker.isStopped => opening = false
        case Failure(error) if LoadConnection.elsewhere(error) && number + 1 < target.addresses.size =>
          attempt(number + 1, until)
        case Failure(error) =>
          opening = false
          giveBackSession()
          val outcome = ConnectFailure.outcomeOf(error)
          worker.note(outcome, error)
          openFailed(outcome)
      }

  final def freed(c: ClientConnection): Unit = ()

  final def gone(c: ClientConnection): Unit = gone(c: AnyRef)

  /** That connection has ended: an HTTP connection, or the link itself. */
  final def gone(ended: AnyRef): Unit = {
    worker.tally.closed()
    if (present != null && present.isOf(ended)) {
      present = null
      giveBackSession()
      if (!worker.isStopped) lost()
    }
  }

  /**
   * The session of this connection may be resumed by others, as this one will not need it: where one is like the other.
   * Once there was an answer, the server's ticket has come too.
   */
  final def shareSession(): Unit = giveBackSession()

  private def giveBackSession(): Unit = if (session >= 0) {
    worker.sessions.giveBack(session)
    session = -1
  }

  /** Closes the connection, if there is one. */
  final def close(): Unit = if (present != null) present.close()
}

private[engine] object LoadConnection {

  /** Whether to try another address of the same name. */
  private def elsewhere(error: Throwable): Boolean = ConnectFailure.outcomeOf(error) match {
    case Outcome.Refused | Outcome.ConnectFailed => true
    case _                                       => false
  }
}

/** Classifies why a connection could not be opened. */
private[engine] object ConnectFailure {

  /**
   * The outcome for that error.
   *
   * @param error the failure of `io.Connector`; its cause is the system's exception
   */
  def outcomeOf(error: Throwable): Outcome = {
    val cause = if (error.getCause == null) error else error.getCause
    val text  = String.valueOf(cause.getMessage)
    (error, cause) match {
      case (_, _: UnknownHostException)                                => Outcome.Unresolved
      case (_: SocketTimeoutException, _)                              => Outcome.ConnectTimedOut
      case (_, _: BindException) if !text.contains("ermission")        => Outcome.NoFreePort
      case (_, e: IOException) if text.contains("Too many open files") => { val _ = e; Outcome.TooManyFiles }
      case (_, _: ConnectException) if text.contains("timed out")      => Outcome.ConnectTimedOut
      case (_, _: ConnectException)                                    => Outcome.Refused
      case (_, _: IOException) if text.contains("No such file")        => Outcome.Refused // a Unix socket
      case _                                                           => Outcome.ConnectFailed
    }
  }
}
