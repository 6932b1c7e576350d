package needletail.io.dns

import java.net.{InetAddress, UnknownHostException}
import java.util.concurrent.{
  ConcurrentHashMap,
  CountDownLatch,
  ExecutorService,
  Executors,
  RejectedExecutionException
}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicLong}

import scala.concurrent.duration._

import needletail.async.{Loop, Timer}
import needletail.io.{EventLoop, LoopSuite}

class DnsResolverSuite extends LoopSuite {
  private val address = InetAddress.getByAddress(Array[Byte](127, 0, 0, 1))

  /** A name service of our own: names wait while their latch is closed; those that begin with `no` are unknown. */
  private final class Service {
    val asked   = new ConcurrentHashMap[String, AtomicInteger]
    val latches = new ConcurrentHashMap[String, CountDownLatch]
    val failing = new ConcurrentHashMap[String, String]
    val clock   = new AtomicLong(1000)

    def asks(name: String): Int = Option(asked.get(name)).fold(0)(_.get)

    def lookUp(name: String): Array[InetAddress] = {
      asked.computeIfAbsent(name, _ => new AtomicInteger).incrementAndGet()
      Option(latches.get(name)).foreach(_.await())
      if (name.startsWith("no") || failing.containsKey(name)) throw new UnknownHostException(name)
      if (name.startsWith("heavy")) throw new OutOfMemoryError("none left")
      if (name.startsWith("broken")) throw new IllegalStateException("out of order")
      Array(address)
    }
  }

  private def withNames(
      threads: ExecutorService = Executors.newFixedThreadPool(4),
      mostDoubtful: Int = 4
  )(
      body: (DnsResolver, Service, EventLoop) => Unit
  ): Unit =
    try
      withLoop { loop =>
        val service = new Service
        body(new DnsResolver(service.lookUp, () => service.clock.get, threads, mostDoubtful), service, loop)
      }
    finally { threads.shutdownNow(); () }

  private def ask(names: DnsResolver, loop: EventLoop, host: String, events: Events): Unit = loop.execute {
    () =>
      names.resolve(host, loop)(answer =>
        events.add(answer.fold(e => s"$host: ${e.getMessage}", _ => s"$host found"))
      ): Unit
  }

  test("fault 11: a host whose name server is silent stalls no other") {
    withNames() { (names, service, loop) =>
      val events = new Events
      val silent = new CountDownLatch(1)
      service.latches.put("silent.example", silent)
      for (_ <- 1 to 100) ask(names, loop, "silent.example", events)
      ask(names, loop, "other.example", events)
      events.expect("other.example found")
      silent.countDown()
      events.expect(Seq.fill(100)("silent.example found")*)
      assertEquals(service.asks("silent.example"), 1) // for all who want to know
    }
  }

  test(
    "a name server that is silent for more names than are remembered, which failed before or not, stalls none that was found"
  ) {
    for (failedBefore <- Seq(false, true))
      withNames(mostDoubtful = 2) { (names, service, loop) =>
        val events                     = new Events
        val silent                     = new CountDownLatch(1)
        val hosts                      = (1 to DnsResolver.MaxRemembered + 50).map(i => s"silent$i.example")
        def askAll(host: String): Unit = ask(names, loop, host, events)
        askAll("known.example")
        events.expect("known.example found")
        if (failedBefore) {
          hosts.foreach(host => service.failing.put(host, host))
          hosts.foreach { host =>
            askAll(host)
            events.expect(s"$host: $host")
          }
          service.failing.clear()
        }
        service.clock.addAndGet(DnsResolver.FoundNanos)
        hosts.foreach(service.latches.put(_, silent))
        hosts.foreach(askAll)
        eventually(hosts.map(service.asks).sum >= 2 + (if (failedBefore) hosts.size else 0))
        for (_ <- 1 to 3) {
          askAll("known.example")
          events.expect("known.example found")
          service.clock.addAndGet(DnsResolver.FoundNanos)
        }
        assertEquals(service.asks("known.example"), 4)
        assertEquals(hosts.map(service.asks).sum, 2 + (if (failedBefore) hosts.size else 0))
        silent.countDown() // all of them are looked up
        assertEquals(Seq.fill(hosts.size)(events.next()).toSet, hosts.map(host => s"$host found").toSet)
        askAll("new.example")
        events.expect("new.example found")
      }
  }

  /** Asks for a name and withdraws. */
  private def askInVain(names: DnsResolver, loop: EventLoop, host: String, events: Events): Unit =
    loop.execute(() => names.resolve(host, loop)(_ => events.add(s"$host told")).run())

  test("names that nobody waits for any more are not looked up, and delay and displace no other") {
    withNames(mostDoubtful = 1) { (names, service, loop) =>
      val events = new Events
      val silent = new CountDownLatch(1)
      service.latches.put("silent.example", silent)
      ask(names, loop, "silent.example", events)
      eventually(service.asks("silent.example") == 1)
      for (i <- 1 to 20000) askInVain(names, loop, s"gone$i.example", events) // more than may be waited for
      askInVain(names, loop, "wanted.example", events)
      ask(names, loop, "wanted.example", events) // again
      ask(names, loop, "new.example", events)
      on(loop)(())
      silent.countDown()
      events.expect("silent.example found", "wanted.example found", "new.example found")
      assertEquals(service.asked.size, 3)
    }
  }

  test("a name that was known stays so if nobody waits until its turn comes") {
    withNames(Executors.newFixedThreadPool(1), mostDoubtful = 1) { (names, service, loop) =>
      val events = new Events
      val silent = new CountDownLatch(1)
      service.latches.put("silent.example", silent)
      for (host <- Seq("silent.example", "a.example", "b.example")) {
        if (host == "silent.example") silent.countDown()
        ask(names, loop, host, events)
        events.expect(s"$host found")
      }
      service.clock.addAndGet(DnsResolver.FoundNanos)
      val again = new CountDownLatch(1)
      service.latches.put("silent.example", again)
      ask(names, loop, "silent.example", events)
      eventually(service.asks("silent.example") == 2)
      askInVain(names, loop, "a.example", events)
      ask(names, loop, "b.example", events)
      on(loop)(())
      again.countDown()
      events.expect("silent.example found", "b.example found")
      assertEquals(service.asks("a.example"), 1)
      ask(names, loop, "a.example", events)
      events.expect("a.example found")
    }
  }

  test("a look-up that ends its thread leaves to another one the names that wait for it") {
    withNames(
      Executors.newFixedThreadPool(4, (task: Runnable) => new Thread(silently(task))),
      mostDoubtful = 1
    ) {
      (names, service, loop) =>
        val events = new Events
        val heavy  = new CountDownLatch(1)
        service.latches.put("heavy.example", heavy)
        Seq("heavy.example", "a.example", "b.example").foreach(ask(names, loop, _, events))
        eventually(service.asks("heavy.example") == 1)
        heavy.countDown()
        events.expect(
          "heavy.example: the lookup of the name was interrupted",
          "a.example found",
          "b.example found"
        )
    }
  }

  /** Runs its tasks at once, on any thread. */
  private object AtOnce extends Loop {
    def inLoop: Boolean                                   = true
    def execute(task: Runnable): Unit                     = task.run()
    def schedule(delayNanos: Long, task: Runnable): Timer = () => ()
    def nowNanos: Long                                    = System.nanoTime
  }

  test("a look-up does not wait for another where a thread that was idle ends just then") {
    val service = new Service
    val silent  = new CountDownLatch(1)
    service.latches.put("silent.example", silent)
    // each thread ends after its look-up, unless there is another by then
    val names = new DnsResolver(service.lookUp, () => 0, DnsResolver.newThreads(2, 1.nano), mostDoubtful = 2)
    names.resolve("silent.example", AtOnce)(_ => ())
    eventually(service.asks("silent.example") == 1)
    try
      for (i <- 1 to 100) {
        val isFound = new AtomicBoolean
        names.resolve(s"h$i.example", AtOnce)(answer => isFound.set(answer.isRight))
        // not parked: the next look-up has to begin while the thread ends
        val until = System.nanoTime + 20.seconds.toNanos
        while (!isFound.get)
          if (System.nanoTime - until > 0) fail(s"look-up $i waits for the silent one")
      }
    finally silent.countDown()
  }

  test("fault 11: names are cached for some seconds, unknown ones more briefly") {
    withNames() { (names, service, loop) =>
      val events                           = new Events
      def times(host: String, end: String) = {
        ask(names, loop, host, events)
        events.expect(s"$host$end")
        service.asks(host.toLowerCase)
      }
      assertEquals(times("a.example", " found"), 1)
      assertEquals(times("a.example", " found"), 1)
      assertEquals(times("no.example", ": no.example"), 1)
      assertEquals(times("no.example", ": no.example"), 1)
      service.clock.addAndGet(DnsResolver.FailedNanos)
      assertEquals(times("no.example", ": no.example"), 2)
      ask(names, loop, "A.Example", events)
      events.expect("A.Example found")
      assertEquals(service.asks("a.example"), 1)
      service.clock.addAndGet(DnsResolver.FoundNanos)
      assertEquals(times("a.example", " found"), 2)
    }
  }

  test("what is remembered has a bound: the oldest go") {
    withNames() { (names, service, loop) =>
      val events             = new Events
      def find(i: Int): Unit = {
        ask(names, loop, s"h$i.example", events)
        events.expect(s"h$i.example found")
      }
      for (i <- 0 to DnsResolver.MaxRemembered) find(i)
      find(1)
      assertEquals(service.asks("h1.example"), 1)
      find(0)
      assertEquals(service.asks("h0.example"), 2)
    }
  }

  test("fault 11: digits and dots that are no address are refused, without a look-up") {
    withNames() { (names, service, loop) =>
      val events = new Events
      for (
        host <- Seq(
          "1.2.3",
          "999.1.1.1",
          "1..2",
          "127.1",
          "2130706433",
          "0x7f.1",
          "0x7f000001",
          "1.2.3.4.",
          "127.0.0.1.5",
          "a.0x1",
          ".",
          "..",
          "",
          "g::1",
          "::1::",
          "1:2",
          "host:80",
          "fe80::zz%lo"
        )
      ) {
        ask(names, loop, host, events)
        events.expect(s"$host: $host")
      }
      for (host <- Seq("127.0.0.1", "::1", "::ffff:1.2.3.4", "fe80::1%1")) {
        ask(names, loop, host, events)
        events.expect(s"$host found")
      }
      assertEquals(service.asked.size, 0)
      for (host <- Seq("1.example", "a1", "1a", "0xyz", "x.1a.")) {
        ask(names, loop, host, events)
        events.expect(s"$host found")
        assertEquals(service.asks(host), 1)
      }
    }
  }

  test("a look-up that fails in another way is told, and the next one is made") {
    withNames() { (names, service, loop) =>
      val events = new Events
      for (i <- 1 to 2) {
        ask(names, loop, "broken.example", events)
        val said = events.next()
        assert(said.contains("the lookup of broken.example failed") && said.contains("out of order"), said)
        assertEquals(service.asks("broken.example"), i)
        service.clock.addAndGet(DnsResolver.FailedNanos)
      }
    }
  }

  test("a look-up that ends its thread is told, and the next one is made") {
    withNames(Executors.newFixedThreadPool(4, (task: Runnable) => new Thread(silently(task)))) {
      (names, service, loop) =>
        val events = new Events
        for (i <- 1 to 2) {
          ask(names, loop, "heavy.example", events)
          events.expect("heavy.example: the lookup of the name was interrupted")
          assertEquals(service.asks("heavy.example"), i)
          service.clock.addAndGet(DnsResolver.FailedNanos)
        }
    }
  }

  private def silently(task: Runnable): Runnable = () =>
    try task.run()
    catch { case _: OutOfMemoryError => () }

  test("more look-ups than are taken are refused") {
    val full = new java.util.concurrent.AbstractExecutorService {
      def execute(task: Runnable): Unit           = throw new RejectedExecutionException
      def shutdown(): Unit                        = ()
      def shutdownNow(): java.util.List[Runnable] = java.util.Collections.emptyList[Runnable]
      def isShutdown: Boolean                     = false
      def isTerminated: Boolean                   = false
      def awaitTermination(n: Long, unit: java.util.concurrent.TimeUnit): Boolean = true
    }
    withNames(full) { (names, _, loop) =>
      val events = new Events
      ask(names, loop, "a.example", events)
      events.expect("a.example: too many names are being looked up")
    }
  }
}
