package needletail.io

import java.io.{FileInputStream, IOException}
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import needletail.io.platform.ListenOptions

/**
 * What happens when the process runs out of descriptors; to be run where its limit is low, alone. It throws when
 * something is not as it should be.
 */
object DescriptorShortage {
  private final val Clients = 12
  private final val Spare   = 5

  def run(): Unit = {
    val complaints = new AtomicInteger
    val before     = EventLoop.onFailure
    EventLoop.onFailure = (_, _) => { complaints.incrementAndGet(); () }
    val loops = new EventLoops(1, "short", daemon = true)
    try shortage(loops(0), complaints)
    finally {
      loops.stop()
      EventLoop.onFailure = before
    }
  }

  private def shortage(loop: EventLoop, complaints: AtomicInteger): Unit = {
    val gone      = new CountDownLatch(1)
    val shortages = new AtomicInteger
    val listener  = Listener.prepare(
      Address.Tcp("127.0.0.1", 0),
      loop,
      ListenOptions(),
      _.start(loop, ConnectionOptions())(new Echo(_, gone)),
      () => { shortages.incrementAndGet(); () }
    )
    listener.begin()
    val port = listener.address match {
      case Address.Tcp(_, port) => port
      case _                    => 0
    }
    // Everything has run once before it gets tight: on the JVM loading a class takes a descriptor too.
    val first = new java.net.Socket("127.0.0.1", port)
    check(echoed(first, 20000), "a first client is served")
    first.close()
    check(gone.await(20, TimeUnit.SECONDS), "the first client's end is seen")
    onLoop(loop) { loop.schedule(0, () => ()); listener.pause() }
    onLoop(loop)(()) // by now the server's descriptor is back too

    val clients = Vector.fill(Clients)(new java.net.Socket("127.0.0.1", port))
    val fillers = fill()
    try {
      fillers.take(Spare).foreach(_.close())
      onLoop(loop)(listener.resume())
      pause(300)
      val served = clients.filter(echoed(_, 100))
      check(served.nonEmpty && served.length <= Spare, s"as many as descriptors are there: ${served.length}")
      check(served.forall(echoed(_, 20000)), "those that got one are served on and on")
      check(shortages.get >= 1, "who listens is told each time")
      check(complaints.get == 1, s"told once, not for each try: ${complaints.get}")

      // Each client that goes gives back two descriptors, its own and the server's.
      val waiting = clients.filterNot(served.contains)
      served.foreach(_.close())
      check(waiting.take(Spare).forall(echoed(_, 20000)), "those in the backlog come next")
    } finally fillers.foreach(_.close())
    // Descriptors come back without a connection closing: the listener finds out by itself.
    check(clients.filterNot(_.isClosed).forall(echoed(_, 20000)), "all are served in the end")
    clients.foreach(_.close())
  }

  /** Takes all descriptors that are left. */
  private def fill(): Vector[FileInputStream] = {
    var taken = Vector.empty[FileInputStream]
    try while (taken.length < 100000) taken :+= new FileInputStream("/dev/null")
    catch { case _: IOException => () }
    check(taken.length < 2000 && taken.length > Spare, s"the limit is low: ${taken.length}")
    taken
  }

  private def echoed(client: java.net.Socket, millis: Int): Boolean = {
    client.setSoTimeout(millis)
    try {
      // Asked once only: a client that was not served in time still gets its answer later.
      if (!asked.contains(client)) {
        asked += client
        client.getOutputStream.write('x')
      }
      val answered = client.getInputStream.read() == 'x'
      asked -= client
      answered
    } catch { case _: java.net.SocketTimeoutException => false }
  }
  private var asked = Set.empty[java.net.Socket]

  private def onLoop(loop: EventLoop)(body: => Unit): Unit = {
    val done = new CountDownLatch(1)
    loop.execute { () => body; done.countDown() }
    check(done.await(5, TimeUnit.SECONDS), "the loop is alive")
  }

  /** Not Thread.sleep, which on Native takes descriptors. */
  private def pause(millis: Long): Unit = { new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS); () }

  private def check(condition: Boolean, what: String): Unit = if (!condition) throw new AssertionError(what)

  private final class Echo(connection: Connection, gone: CountDownLatch) extends ConnectionHandler {
    def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      connection.write(bytes, from, until - from)
      until
    }
    def onEnd(): Unit                    = connection.close()
    def onDrained(): Unit                = ()
    def onDeadline(): Unit               = ()
    def onClosed(cause: Throwable): Unit = gone.countDown()
  }
}
