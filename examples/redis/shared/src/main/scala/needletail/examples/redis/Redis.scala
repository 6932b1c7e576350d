package needletail.examples.redis

import java.nio.charset.StandardCharsets.UTF_8

import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration

import needletail.async.Async
import needletail.io.Address
import needletail.tcp.{TcpClient, TcpClientStatistics}

/**
 * A client of Redis. A command fails with a [[RedisError]] if Redis answers so, and with a `TcpClientError` if it has no
 * answer. Commands are to be called on an event loop, such as that of a server's handler; `run` is for other threads.
 */
final class Redis private (client: TcpClient[RespValue, Command], limit: FiniteDuration) {
  import Redis.bytes

  /** The same client with another limit for each command. */
  def within(limit: FiniteDuration): Redis = new Redis(client, limit)

  /** Any command. */
  def command(command: Command): Async[RespValue] = client.call(command, limit).flatMap(RedisProtocol.checked)

  /** GET. */
  def get(key: String): Async[Option[Array[Byte]]] = command(Command("GET", bytes(key))).flatMap {
    case RespValue.Bulk(value) => Async.value(Some(value))
    case RespValue.Null        => Async.value(None)
    case other                 => unexpected(other)
  }

  /** SET. The value must not change until it is done. */
  def set(key: String, value: Array[Byte]): Async[Unit] =
    command(Command("SET", bytes(key), value)).map(_ => ())

  /** SET with PX: the key expires after that time, in milliseconds. */
  def set(key: String, value: Array[Byte], expiry: FiniteDuration): Async[Unit] =
    command(Command("SET", bytes(key), value, bytes("PX"), bytes(math.max(1L, expiry.toMillis).toString)))
      .map(_ => ())

  /** DEL: how many there were. */
  def delete(keys: String*): Async[Long] = command(Command("DEL", keys.map(bytes): _*)).flatMap(number)

  /** INCR. Not to be repeated blindly: see `TcpClientError.mayHaveArrived`. */
  def increment(key: String): Async[Long] = command(Command("INCR", bytes(key))).flatMap(number)

  /** PUBLISH: how many received it. */
  def publish(channel: String, message: Array[Byte]): Async[Long] =
    command(Command("PUBLISH", bytes(channel), message)).flatMap(number)

  private def number(answer: RespValue): Async[Long] = answer match {
    case RespValue.Number(n) => Async.value(n)
    case other               => unexpected(other)
  }

  private def unexpected(answer: RespValue): Async[Nothing] =
    Async.fail(new IllegalStateException(s"an answer of another type was expected: $answer"))

  /** Runs `body`, which calls this client, on a loop of the client. From any thread. */
  def run[A](body: => Async[A]): Future[A] = client.run(body)

  def statistics: TcpClientStatistics = client.statistics

  /** Waits for the commands made before, and closes. */
  def drain(): Future[Unit] = client.drain()

  def close(): Unit = client.close()
}

object Redis {

  /** A client of the server at `address`. It connects when it is first used. */
  def apply(address: Address, config: RedisConfig = RedisConfig()): Redis =
    of(address, config, new RedisProtocol(config, subscribes = false, () => Nil, _ => (), () => ()))

  /**
   * A client that is notified when keys that it has read are changed (`CLIENT TRACKING`, RESP3 only).
   *
   * @param invalidated called with such keys, on the loop of their connection; with None when any may have changed: at
   *   the end of each connection, too
   */
  def tracking(address: Address, config: RedisConfig)(invalidated: Option[Seq[String]] => Unit): Redis = {
    def pushed(values: Vector[RespValue]): Unit = values match {
      case Vector(RespValue.Text("invalidate"), RespValue.Items(keys)) =>
        invalidated(Some(keys.collect { case RespValue.Text(key) => key }))
      case Vector(RespValue.Text("invalidate"), _) => invalidated(None)
      case _                                       => ()
    }
    val protocol = new RedisProtocol(
      config,
      subscribes = false,
      () => Seq(Command.of("CLIENT", "TRACKING", "ON")),
      pushed,
      () => invalidated(None)
    )
    of(address, config, protocol)
  }

  private def of(address: Address, config: RedisConfig, protocol: RedisProtocol): Redis =
    new Redis(TcpClient(protocol, address, config.client), config.client.requestTimeout)

  private[redis] def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)
}
