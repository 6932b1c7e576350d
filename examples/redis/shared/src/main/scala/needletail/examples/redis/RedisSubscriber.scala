package needletail.examples.redis

import scala.collection.mutable
import scala.concurrent.Future

import needletail.async.Async
import needletail.io.Address
import needletail.tcp.TcpClient

/**
 * Receives the messages of channels, on one connection, which is opened again, and subscribed again, when it ends.
 * Messages that are published meanwhile are lost: Redis does not keep them.
 *
 * @param onMessage called with channel and message, on the connection's loop
 */
final class RedisSubscriber(address: Address, config: RedisConfig)(onMessage: (String, Array[Byte]) => Unit) {
  private val channels = mutable.Set.empty[String] // used on the client's only loop

  private val protocol = new RedisProtocol(
    config,
    subscribes = true,
    () => channels.toSeq.map(Command.of("SUBSCRIBE", _)),
    {
      case Vector(RespValue.Text("message"), RespValue.Text(channel), RespValue.Bulk(message)) =>
        onMessage(channel, message)
      case _ => ()
    },
    () => ()
  )
  private val client =
    TcpClient(protocol, address, config.client.copy(loops = 1, connections = 1, keepConnected = true))

  /** Subscribes to a channel. When it is done, later messages are received. */
  def subscribe(channel: String): Future[Unit] = client.run {
    val isNew = channels.add(channel)
    client.call(Command.of("SUBSCRIBE", channel)).flatMap(RedisProtocol.checked).transform { result =>
      if (result.isSuccess) channels.add(channel)
      else if (isNew) channels.remove(channel) // otherwise it is subscribed to already
      Async.fromTry(result.map(_ => ()))
    }
  }

  /** Ends a subscription. */
  def unsubscribe(channel: String): Future[Unit] = client.run {
    channels -= channel
    client.call(Command.of("UNSUBSCRIBE", channel)).flatMap(RedisProtocol.checked).map { _ =>
      channels -= channel // again, as a subscription that was under way has been answered meanwhile
      ()
    }
  }

  def close(): Unit = client.close()
}
