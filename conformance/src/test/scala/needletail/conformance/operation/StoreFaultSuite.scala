package needletail.conformance.operation

import java.net.{InetAddress, ServerSocket}

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.{Duration, DurationInt}

import needletail.conformance.client.{Ask, ReplyReader, Seen}
import needletail.conformance.harness.{ConformanceSuite, Program}
import needletail.testing.Suite

/**
 * The store as it is shipped, when what it depends on is killed under load, never answers or cannot be found, and when
 * it may open no more descriptors: whoever needs what is missing is told so at once, the others notice nothing, nothing
 * leaks, and when it is there again so is service.
 */
class StoreFaultSuite extends Suite {
  override val munitTimeout: Duration = 90.seconds

  private val running = ArrayBuffer.empty[Program]

  override def afterEach(context: AfterEach): Unit = {
    running.foreach(_.kill())
    running.clear()
  }

  private def started(program: Program): Program = {
    running += program
    program
  }

  private def service(name: String, port: Int = 0): Program =
    started(Program.run(name, "--port", port.toString, "--workers", "1"))

  private def store(name: String, search: String, payment: Program): Program =
    started(Program.run(name, storeArguments(search, payment): _*))

  private def storeArguments(search: String, payment: Program): Seq[String] =
    Seq("--port", "0", "--workers", "1", "--search", search, "--payment", urlOf(payment))

  private def urlOf(program: Program) = s"http://127.0.0.1:${program.port}"

  /** Everybody who asked since was served. */
  private def assertServed(customers: Customers, kind: String, since: Long): Unit = {
    def visits = customers.visits(kind, since)
    eventually(visits.length > 20, s"$kind: ${visits.length} visits")
    assertEquals(visits.filter(_.status != 200).take(5), Nil)
  }

  private def endsWell(program: Program): Unit = {
    program.terminate()
    assertEquals(program.exitStatus(20000), Some(0), program.output.takeRight(20).mkString("\n"))
    assertEquals(program.stackTraces.take(10).toList, Nil)
  }

  for (name <- Seq("store", "store-native")) {

    test(s"$name: the search service is killed under load, and started again") {
      val search    = service("search")
      val port      = search.port
      val shop      = store(name, urlOf(search), service("payment"))
      val atRest    = shop.descriptors.getOrElse(0)
      val customers = new Customers(shop.port)
      try {
        eventually(Customers.kinds.forall(customers.visits(_).count(_.status == 200) > 50), "warm")
        val warm = System.nanoTime()
        search.kill()
        search.exitStatus(5000)
        val killed = System.nanoTime()
        eventually(customers.visits("search", killed).length > 100, customers.visits("search", killed).length)
        val told = customers.visits("search", killed)
        assertEquals(told.filter(v => !Set(502, 503, 504)(v.status)).take(5), Nil)
        assert(told.forall(_.millis < 9000), told.map(_.millis).max) // before customers lose patience
        service("search", port)
        def last = customers.visits("search").takeRight(50)
        eventually(last.forall(_.status == 200), last.takeRight(3))
        val again = System.nanoTime()
        for (kind <- Customers.kinds) assertServed(customers, kind, again)
        for (kind <- Seq("index", "payment")) assertServed(customers, kind, warm)
        customers.close()
        // Connections are kept open: one with each customer, and one with a service for each who asks for it
        val kept = customers.count + 2 * customers.ofEachKind
        eventually(
          shop.descriptors.forall(_ <= atRest + kept + ConformanceSuite.Slack),
          s"$atRest at first, ${shop.descriptors} after, of which $kept may be kept"
        )
        assert(shop.output.exists(_.contains("search")), "the log says nothing of it")
        endsWell(shop)
      } finally customers.close()
    }

    test(s"$name: the search service accepts and never answers") {
      val silent = new ServerSocket(0, 1000, InetAddress.getByName("127.0.0.1"))
      try {
        val shop      = store(name, s"http://127.0.0.1:${silent.getLocalPort}", service("payment"))
        val customers = new Customers(shop.port)
        try {
          eventually(customers.visits("payment").count(_.status == 200) > 50, "warm")
          val warm = System.nanoTime()
          eventually(customers.visits("search").length > 20, customers.visits("search").length)
          val told = customers.visits("search")
          assert(told.forall(v => v.status == 504 || v.status == 503), told.take(5))
          assert(told.forall(_.millis < 9000), told.map(_.millis).max)
          for (kind <- Seq("index", "payment")) assertServed(customers, kind, warm)
        } finally customers.close()
        endsWell(shop)
      } finally silent.close()
    }

    test(s"$name: the search service's name has no address") {
      val shop = store(name, "http://no-such-host.invalid:8081", service("payment")) // RFC 6761
      assert(Set(502, 503)(Customers.ask(shop.port, "search")))
      assertEquals(Customers.ask(shop.port, "payment"), 200)
      assert(shop.output.exists(_.contains("no-such-host.invalid")), shop.output)
      endsWell(shop)
    }

    test(s"$name: 64 descriptors, and 200 connections before anything else") {
      val search    = service("search")
      val payment   = service("payment")
      val arguments = storeArguments(urlOf(search), payment)
      val shop      = started(Program.runWithDescriptors(64, name, arguments: _*))
      visitedBy200(shop)
      eventually(Customers.kinds.forall(Customers.ask(shop.port, _) == 200), shop.output.takeRight(5))
      val before = shop.descriptors.getOrElse(0)
      visitedBy200(shop)
      eventually(
        shop.descriptors.forall(_ <= before + ConformanceSuite.Slack),
        s"$before before, ${shop.descriptors} after"
      )
      eventually(Customers.kinds.forall(Customers.ask(shop.port, _) == 200), shop.output.takeRight(5))
      endsWell(shop)
    }
  }

  /** Some are served and, as they idle then, make room for those that wait: none is turned away. */
  private def visitedBy200(shop: Program): Unit = {
    val crowd = Seq.fill(200)(shop.connect())
    try {
      crowd.foreach(_.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
      val served = crowd.count(wire => new ReplyReader(wire).next(Ask.get).isInstanceOf[Seen.Answer])
      assertEquals(served, crowd.length)
      // who needs a service may find no descriptor left for it
      val one = shop.connect()
      one.send("GET /search?query=a HTTP/1.1\r\nHost: a\r\n\r\n")
      new ReplyReader(one).next(Ask.get) match {
        case Seen.Answer(reply) => assert(Set(200, 502, 503)(reply.status), reply.status)
        case other              => fail(s"no answer but $other")
      }
      one.close()
    } finally crowd.foreach(_.close())
  }
}
