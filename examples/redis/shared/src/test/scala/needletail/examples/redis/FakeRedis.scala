package needletail.examples.redis

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.io.Address
import needletail.server.{Answer, Log, RunningServer, Server, ServerConfig}
import needletail.tcp.{Codec, Decoded, Decoder}

/** A server that answers commands with what a function says, as bytes. */
object FakeRedis {
  private object Commands extends Codec[Command, String] {
    def decoder(): Decoder[Command] = {
      val values = new RespDecoder
      (bytes, from, until) =>
        values.decode(bytes, from, until) match {
          case Decoded.Message(RespValue.Items(words), end) =>
            Decoded.Message(Command(words.collect { case RespValue.Bulk(word) => word }), end)
          case Decoded.Message(_, _) => Decoded.Bad("not a command")
          case Decoded.Bad(reason)   => Decoded.Bad(reason)
          case Decoded.More          => Decoded.More
        }
    }
    def encode(answer: String): Array[Byte] = answer.getBytes(ISO_8859_1)
  }

  def serving[A](answer: Command => Async[Answer[String]])(body: RunningServer => A): A = {
    val config = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = Log.none)
    val server = Server.withCodec(Commands, config)(_ => answer).start()
    try body(server)
    finally { Await.result(server.close(), 20.seconds); () }
  }
}
