package needletail.io

import java.io.{ByteArrayOutputStream, IOException}
import java.nio.ByteBuffer
import javax.net.ssl.{SSLContext, SSLEngine, TrustManager}

import scala.util.Random

import needletail.io.platform.TransferBuffers
import needletail.io.system.tls.{Pem, TlsSocket, Trust}
import needletail.io.tls.TlsCounts
import needletail.testing.{Certificate, Suite}

/**
 * A client's and a server's TlsSocket on a network in memory. What happens, and in which order, follows from a seed:
 * bytes arrive in any pieces, the kernel takes any part of what is written, and anywhere in the handshake or after it
 * the connection is cut or reset, or one byte becomes another. The encrypted bytes differ from run to run, as keys are
 * random; the plain ones, and all choices, do not.
 */
class TlsWorldSuite extends Suite {
  import Wire.Fault

  private lazy val trusting = {
    val context = SSLContext.getInstance("TLS")
    context.init(null, Array[TrustManager](Trust.of(Pem.certificates(Certificate.local.file), None)), null)
    context
  }

  private def engine(context: SSLContext, isClient: Boolean, version: String): SSLEngine = {
    val made = context.createSSLEngine("localhost", if (version == "TLSv1.3") 1 else 2)
    made.setUseClientMode(isClient)
    made.setEnabledProtocols(Array(version))
    made
  }

  /**
   * One side, as a Connection uses its socket: it sends all of `content`, then ends, and reads up to the end. It ends
   * when it has got `least` bytes: the JDK's engine for TLS 1.2 ends its output when it hears of the peer's end.
   */
  private final class Side(
      val name: String,
      socket: TlsSocket,
      isClient: Boolean,
      content: Array[Byte],
      least: Int,
      random: Random
  ) {
    private val received = new ByteArrayOutputStream
    private val room     = new Array[Byte](1 + random.nextInt(20000))
    private var written  = 0
    private var isSecure = false
    var isEndSaid        = false
    var isEndHeard       = false
    var failure: String  = null

    def got: Array[Byte] = received.toByteArray
    def isOver: Boolean  = (failure ne null) || isEndSaid && isEndHeard && !socket.owesOutput

    def step(): Unit = if (!isOver)
      try {
        if (socket.owesOutput) socket.sendOwed()
        if (isClient && !isSecure) isSecure = socket.finishConnect()
        else {
          if (!isEndHeard) {
            val n = socket.read(room, 0, room.length)
            if (n < 0) isEndHeard = true else received.write(room, 0, n)
          }
          isSecure = !socket.isShakingHands
          if (isSecure && !isEndSaid && !socket.owesOutput) send()
        }
        assert(socket.heldBytes <= 70000, s"$name holds ${socket.heldBytes} bytes")
      } catch {
        case e: IOException =>
          failure = e.getMessage
          socket.close()
      }

    private def send(): Unit = {
      if (written < content.length) written += socket.write(content, written, content.length - written)
      if (written == content.length && received.size >= least) {
        socket.shutdownOutput()
        isEndSaid = true
      }
    }

    /** What the other side sends must be the beginning of `sent`, and all of it if it told its end. */
    def check(sent: Array[Byte], other: Side): Unit = {
      val mine = got
      assert(
        mine.length <= sent.length && java.util.Arrays.equals(mine, sent.take(mine.length)),
        s"$name got other bytes"
      )
      if (isEndHeard && (other.failure eq null))
        assertEquals(mine.length, sent.length, s"$name missed an end")
    }
  }

  private def socketOf(channel: MemoryChannel, engine: SSLEngine, counts: TlsCounts): TlsSocket = {
    val socket =
      new TlsSocket(channel, engine, if (counts eq null) "localhost" else "the client", counts, null, None)
    socket.buffers = new TransferBuffers(ByteBuffer.allocate(128 * 1024))
    socket
  }

  /** A client and a server that are joined by these wires. */
  private def pair(there: Wire, back: Wire, version: String, counts: TlsCounts): (TlsSocket, TlsSocket) = (
    socketOf(new MemoryChannel(back, there), engine(trusting, true, version), null),
    socketOf(new MemoryChannel(there, back), engine(Certificate.local.context, false, version), counts)
  )

  private def content(random: Random): Array[Byte] = {
    val bytes = new Array[Byte](if (random.nextInt(8) == 0) 40000 else random.nextInt(3000))
    random.nextBytes(bytes)
    bytes
  }

  private def world(seed: Long): Unit = {
    val random           = new Random(seed)
    val fault            = Fault.all(random.nextInt(4))
    val isForth          = random.nextBoolean()
    val version          = if (random.nextInt(3) == 0) "TLSv1.2" else "TLSv1.3"
    val faultAt          = random.nextInt(if (random.nextBoolean()) 1200 else 8000)
    def wire(b: Boolean) =
      new Wire(random, if (random.nextBoolean()) 200000 else 3000, if (b) fault else Fault.None, faultAt)
    val (there, back) = (wire(isForth), wire(!isForth))
    val (asked, said) = (content(random), content(random))
    val isOld         = version == "TLSv1.2"
    val counts        = new TlsCounts
    val (one, other)  = pair(there, back, version, counts)
    val client        = new Side("client", one, true, asked, if (isOld) said.length else 0, random)
    val server        = new Side("server", other, false, said, if (isOld) asked.length else 0, random)
    val struck        = if (isForth) there else back
    var steps         = 0
    while (!(client.isOver && server.isOver) && steps < MaxSteps) {
      steps += 1
      random.nextInt(6) match {
        case 0 | 1 => there.deliver()
        case 2 | 3 => back.deliver()
        case 4     => client.step()
        case _     => server.step()
      }
    }
    val told = s"$fault at $faultAt, $version: client ${client.failure}, server ${server.failure}"
    assert(steps < MaxSteps, s"it does not end; $told")
    client.check(said, server)
    server.check(asked, client)
    if (!struck.hasStruck) assertEquals((client.failure, server.failure), (null, null), told)
    else if (fault != Fault.None)
      assert((client.failure ne null) || (server.failure ne null), s"nobody noticed; $told")
    assertEquals(counts.present, 0L)
  }

  private final val MaxSteps = 2000000

  test("both sides end their output while there is no room for the alert that says so: each still reads") {
    val random           = new Random(1)
    val (there, back)    = (new Wire(random, 20000, Fault.None, 0), new Wire(random, 20000, Fault.None, 0))
    val (client, server) = pair(there, back, "TLSv1.3", new TlsCounts)
    val both             = Seq(client -> there, server -> back)
    val room             = new Array[Byte](100)
    def quiet(): Unit    = for (_ <- 1 to 1000) {
      there.deliver()
      back.deliver()
      client.finishConnect()
      both.foreach { case (socket, _) => assertEquals(socket.read(room, 0, room.length), 0) }
    }
    quiet()
    assert(!client.isShakingHands && !server.isShakingHands)

    for ((socket, wire) <- both) {
      while (wire.left > 2000) assertEquals(socket.write(new Array[Byte](1000), 0, 1000), 1000)
      val before = wire.left
      assertEquals(socket.write(new Array[Byte](1), 0, 1), 1)
      val last = wire.left - (before - wire.left - 1) // less what a record adds
      assertEquals(socket.write(new Array[Byte](last), 0, last), last)
      assertEquals(wire.left, 0)
      socket.shutdownOutput()
      assert(socket.owesOutput)
    }
    val ends = both.map { case (socket, _) =>
      Iterator
        .continually {
          there.deliver()
          back.deliver()
          both.foreach(_._1.sendOwed())
          socket.read(room, 0, room.length)
        }
        .take(100000)
        .contains(-1)
    }
    assertEquals(ends, Seq(true, true))
  }

  test("a peer that takes a part of what is pending is seen to read, and all of it comes") {
    val random           = new Random(1)
    val (there, back)    = (new Wire(random, 20000, Fault.None, 0), new Wire(random, 3000, Fault.None, 0))
    val (client, server) = pair(there, back, "TLSv1.3", new TlsCounts)
    val room             = new Array[Byte](20000)
    for (_ <- 1 to 1000) {
      there.deliver()
      back.deliver()
      client.finishConnect()
      assertEquals(server.read(room, 0, room.length) + client.read(room, 0, room.length), 0)
    }
    val content = new Array[Byte](50000)
    new Random(2).nextBytes(content)
    val got     = new ByteArrayOutputStream
    var written = server.write(content, 0, content.length)
    var steps   = 0
    var inVain  = 0 // bytes that the network took since something was reported
    while (got.size < content.length && steps < MaxSteps) {
      steps += 1
      val left = back.left
      val n    = server.write(content, written, content.length - written)
      inVain = if (n > 0) 0 else inVain + left - back.left
      assert(inVain <= 100, s"$inVain bytes were taken, and nothing was reported")
      written += n
      back.deliver()
      val m = client.read(room, 0, room.length)
      got.write(room, 0, m)
    }
    assertEquals(written, content.length)
    assert(java.util.Arrays.equals(got.toByteArray, content))
  }

  for (first <- 1L to 201L by 50L) test(s"50 worlds from $first on") {
    for (seed <- first until first + 50)
      try world(seed)
      catch { case e: Exception => fail(s"world $seed: $e", e) }
  }
}
