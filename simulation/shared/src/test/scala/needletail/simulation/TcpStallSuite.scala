package needletail.simulation

import scala.concurrent.duration._

import needletail.io.{Address, EventLoops}
import needletail.simulation.world.{Endpoint, World}
import needletail.tcp.{Codec, Decoded, Decoder, TcpClient, TcpClientConfig, TcpProtocol}
import needletail.testing.Suite

/** How long a client of a codec's server waits for one that reads nothing, in virtual time. */
class TcpStallSuite extends Suite with QuietWorlds {

  /** Messages without an answer. */
  private object Blocks extends Codec[Unit, Array[Byte]] {
    def decoder(): Decoder[Unit]                = (_, _, _) => Decoded.More
    def encode(block: Array[Byte]): Array[Byte] = block
  }

  private final class Deaf(end: Endpoint) extends SlowReader(end, isEager = false) {
    protected def took(bytes: Array[Byte], n: Int): Unit = ()
    protected def hasRead(): Unit                        = ()
  }

  test("messages that the server does not read have stallTimeout once") {
    for (seed <- 1L to 10L) inWorld(seed)(world => {
      val millis = stalled(world, stallTimeout = 2.seconds)
      assert(millis >= 1900 && millis < 3000, s"$millis ms, seed $seed")
    })
  }

  /** After how many milliseconds it gives up a connection that takes only a part of what is sent. */
  private def stalled(world: World, stallTimeout: FiniteDuration): Long = {
    val port   = world.network.listen(0, end => { val _ = new Deaf(end) })
    val loops  = new EventLoops(1, "client", platform = world.platform)
    val config = TcpClientConfig(
      connections = 1,
      stallTimeout = stallTimeout,
      idleTimeout = 20.millis,
      requestTimeout = 20.seconds,
      maxPendingOutput = 64 * 1024 * 1024
    )
    val client = TcpClient(TcpProtocol(Blocks), Address.Tcp("127.0.0.1", port), config, loops)
    loops(0).execute(() => for (_ <- 1 to 20) client.send(new Array[Byte](32000)).onComplete(_ => ()))
    world.run(1.second.toNanos)(client.statistics.open == 1)
    val begun = world.now
    world.run(20.seconds.toNanos)(client.statistics.open == 0)
    val took = (world.now - begun) / 1000000
    client.close()
    loops.stop()
    world.pass(5.seconds.toNanos)
    took
  }
}
