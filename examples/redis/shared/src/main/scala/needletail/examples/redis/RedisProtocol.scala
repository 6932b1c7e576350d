package needletail.examples.redis

import needletail.async.Async
import needletail.tcp.{TcpProtocol, TcpSession}

/** An answer of Redis that is an error, such as WRONGTYPE. */
final class RedisError(message: String) extends RuntimeException(message, null, false, false) {

  /** The first word of the message. */
  def code: String = message.takeWhile(_ != ' ')
}

/**
 * The set-up of a connection, and push messages. A connection speaks RESP3; RESP2 if the
 * server does not know that.
 *
 * @param subscribes whether its connections subscribe: then, with RESP2, messages are arrays
 * @param afterwards commands that follow the greeting; if one fails, so does the connection
 * @param onPush called with push messages
 * @param onEnd called at the end of each connection, as messages may be lost until there is the next one
 */
private[redis] final class RedisProtocol(
    config: RedisConfig,
    subscribes: Boolean,
    afterwards: () => Seq[Command],
    onPush: Vector[RespValue] => Unit,
    onEnd: () => Unit
) extends TcpProtocol[RespValue, Command](new RespCodec(config.maxValue + 64 * 1024)) {
  import RedisProtocol._

  override def connected(session: TcpSession[RespValue, Command]): Async[Unit] =
    greet(session).flatMap(_ => runAll(session, selected ++ afterwards()))

  private def greet(session: TcpSession[RespValue, Command]): Async[Unit] = {
    val user     = config.user.getOrElse("default")
    val password = config.password.toSeq.flatMap(Seq("AUTH", user, _))
    session.call(Command.of("HELLO", "3" +: password: _*)).flatMap {
      case RespValue.Failed(message) if isUnknown(message) =>
        runAll(session, config.password.toSeq.map(p => Command.of("AUTH", config.user.toSeq :+ p: _*)))
      case answer => checked(answer).map(_ => ())
    }
  }

  private def selected =
    if (config.database == 0) Nil else Seq(Command.of("SELECT", config.database.toString))

  private def runAll(session: TcpSession[RespValue, Command], commands: Seq[Command]): Async[Unit] =
    Async.all(commands.map(c => session.call(c).flatMap(checked))).map(_ => ())

  override def isPush(message: RespValue, awaited: Option[Command]): Boolean = kind(message) match {
    case Some("message" | "pmessage" | "smessage" | "invalidate")              => true
    case Some(confirmed) if awaited.exists(_.name.equalsIgnoreCase(confirmed)) => false
    case _ => message.isInstanceOf[RespValue.Push]
  }

  /** Push messages: a push of RESP3; on a connection that subscribes, an array of RESP2. */
  private def kind(message: RespValue): Option[String] = message match {
    case RespValue.Push(RespValue.Text(kind) +: _)                => Some(kind)
    case RespValue.Items(RespValue.Text(kind) +: _) if subscribes => Some(kind)
    case _                                                        => None
  }

  override def pushed(session: TcpSession[RespValue, Command], message: RespValue): Unit = message match {
    case RespValue.Push(values)  => onPush(values)
    case RespValue.Items(values) => onPush(values)
    case _                       => ()
  }

  override def disconnected(session: TcpSession[RespValue, Command]): Unit = onEnd()
}

private[redis] object RedisProtocol {

  private def isUnknown(message: String) =
    message.startsWith("NOPROTO") || message.toLowerCase.startsWith("err unknown command")

  /** The answer, or the error that it is. */
  def checked(answer: RespValue): Async[RespValue] = answer match {
    case RespValue.Failed(message) => Async.fail(new RedisError(message))
    case other                     => Async.value(other)
  }
}
