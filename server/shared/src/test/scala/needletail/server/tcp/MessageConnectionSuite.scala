package needletail.server.tcp

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.io.Address
import needletail.server.{MessageConnection, RawClient, ServerFixture}
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.tcp.{Codec, Decoder}
import needletail.testing.{Pause, Suite}

/** Messages that a server of a codec sends by itself. */
class MessageConnectionSuite extends Suite {
  private val config   = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 2, log = Log.none)
  private val patience = 20.seconds

  private def serving[A](config: ServerConfig = config)(
      session: MessageConnection[String] => String => Async[Answer[String]]
  )(body: TcpServer => A): A = ServerFixture.serving(TcpServer.serve(Lines, config)(session))(body)

  /** A connection to a server whose sessions answer nothing, and what the server has of it. */
  private def connected[A](config: ServerConfig = config)(
      body: (RawClient, MessageConnection[String], TcpServer) => A
  ): A = {
    val taken = Promise[MessageConnection[String]]()
    serving(config) { connection =>
      taken.trySuccess(connection)
      line => if (line == "wait") new AsyncPromise[Answer[String]] else Answer(s"answer to $line")
    } { server =>
      val client = new RawClient(server.port)
      client.socket.setSoTimeout(patience.toMillis.toInt)
      try body(client, Await.result(taken.future, patience), server)
      finally client.close()
    }
  }

  private def isClosed(connection: MessageConnection[String]): Boolean = !connection.send("")

  test("that a connection is closed is told also if its session or its decoder cannot be made") {
    for (fails <- Seq("session", "decoder")) {
      def fail(here: String): Unit = if (here == fails) throw new IllegalStateException(s"no $here")
      object Failing extends Codec[String, String] {
        def decoder(): Decoder[String]        = { fail("decoder"); Lines.decoder() }
        def encode(line: String): Array[Byte] = Lines.encode(line)
      }
      val ended  = Promise[Boolean]()
      val server = TcpServer.serve(Failing, config) { connection =>
        connection.closed.foreach { _ => ended.trySuccess(connection.send("late")); () }
        fail("session")
        line => Answer(line)
      }
      ServerFixture.serving(server) { server =>
        val client = new RawClient(server.port)
        assertEquals(Await.result(ended.future, patience), false)
        assert(client.isEnded)
        client.close()
      }
    }
  }

  test("a server sends first, beside answers, and while an answer is awaited") {
    val never = new AsyncPromise[Answer[String]]
    serving() { connection =>
      assert(connection.send("welcome"))
      line => {
        assert(connection.send(s"before $line"))
        if (line == "wait") {
          Async.sleep(10.millis).foreach { _ => connection.send("meanwhile"); () }
          never
        } else Answer(s"answer to $line")
      }
    } { server =>
      val client = new RawClient(server.port)
      assertEquals(client.readUntil("\n"), "welcome\n")
      assertEquals(
        client.send("a\nb\n").readUntil("to b\n"),
        "before a\nanswer to a\nbefore b\nanswer to b\n"
      )
      assertEquals(client.send("wait\n").readUntil("meanwhile\n"), "before wait\nmeanwhile\n")
      client.close()
    }
  }

  test("messages from other threads come in the order of each thread") {
    connected() { (client, connection, _) =>
      val most    = 300
      val threads = for (n <- 1 to 3)
        yield new Thread(() =>
          for (i <- 1 to most) while (!connection.send(s"$n $i")) Pause(1.milli) // there is no room
        )
      threads.foreach(_.start())
      val lines = List.fill(3 * most)(client.readUntil("\n").trim.split(' '))
      threads.foreach(_.join())
      for (n <- 1 to 3)
        assertEquals(lines.collect { case Array(who, i) if who == s"$n" => i.toInt }, (1 to most).toList)
    }
  }

  test("what a client does not read is bounded, on the connection's loop and off it") {
    val long    = "x" * 9999
    val most    = 3000 // far more than the system takes
    val flooded = new AtomicInteger
    val taken   = Promise[MessageConnection[String]]()
    serving(config.copy(maxPendingOutput = 100000)) { connection =>
      taken.trySuccess(connection)
      _ => {
        var sent = 0
        while (sent < most && connection.send(long)) sent += 1
        flooded.set(sent)
        Answer.none
      }
    } { server =>
      val client     = new RawClient(server.port).send("flood\n")
      val connection = Await.result(taken.future, patience)
      eventually(flooded.get > 0)
      var sent    = flooded.get
      var refused = 0 // in a row, as the system may have taken some more meanwhile
      assert(sent < most, s"$sent lines of 10 KB were taken")
      while (refused < 20 && sent < most)
        if (connection.send(long)) { sent += 1; refused = 0 }
        else { refused += 1; Pause(10.millis) }
      assert(sent < most, s"$sent lines of 10 KB were taken")
      val bytes = new Array[Byte](100000)
      var left  = sent * 10000L
      while (left > 0) left -= client.socket.getInputStream.read(bytes, 0, Math.min(left, 100000L).toInt)
      eventually(connection.send("more"), "nothing is taken again")
      assertEquals(client.readUntil("\n"), "more\n")
      client.close()
    }
  }

  test("its end is told to who asks, whoever has brought it about") {
    val ends = new AtomicInteger
    serving() { connection =>
      connection.closed.foreach { _ => ends.incrementAndGet(); () }
      connection.closed.cancel()
      line => {
        if (line == "again") connection.closed.foreach { _ => ends.incrementAndGet(); () }
        if (line == "close") connection.close()
        if (line == "last") Answer.last("bye") else Answer(line)
      }
    } { server =>
      new RawClient(server.port).close()
      eventually(ends.get == 1, ends.get)
      assertEquals(new RawClient(server.port).send("last\n").readAll(), "bye\n")
      eventually(ends.get == 2, ends.get)
      assertEquals(new RawClient(server.port).send("again\nclose\nnot read\n").readAll(), "again\nclose\n")
      eventually(ends.get == 4, ends.get)
      val waiting = new RawClient(server.port).send("a\n")
      assertEquals(waiting.readUntil("\n"), "a\n")
      Await.result(server.drain(), patience)
      eventually(ends.get == 5, ends.get)
      waiting.close()
    }
  }

  test("closed from another thread: after what was sent before, and nothing is taken any more") {
    connected() { (client, connection, _) =>
      for (i <- 1 to 3) assert(connection.send(s"$i"))
      connection.close()
      connection.close()
      assertEquals(client.readAll(), "1\n2\n3\n")
      eventually(isClosed(connection), "it still takes messages")
    }
    connected() { (client, connection, server) => // the awaited answer does not come
      client.send("wait\n")
      eventually(Await.result(server.statistics, patience).requests == 1)
      connection.close()
      assert(connection.send("still open"))
      assertEquals(client.readUntil("\n"), "still open\n")
    }
  }

  test("a message that cannot be encoded is its sender's failure, and the connection stays") {
    connected() { (client, connection, _) =>
      intercept[IllegalArgumentException](connection.send("unsayable"))
      assertEquals(client.send("a\n").readUntil("\n"), "answer to a\n")
      val elsewhere = connection.closed.resultOrNull
      assert(elsewhere != null && !elsewhere.isValue, "it was asked for on another thread")
    }
  }

  test("publishers and subscribers on several loops") {
    val subscribers = ConcurrentHashMap.newKeySet[MessageConnection[String]]()
    serving() { connection =>
      {
        case "subscribe" =>
          subscribers.add(connection)
          connection.closed.foreach { _ => subscribers.remove(connection); () }
          Answer("subscribed")
        case line =>
          subscribers.forEach { subscriber => if (!subscriber.send(s"news: $line")) subscriber.close() }
          Answer("published")
      }
    } { server =>
      val clients = List.fill(6)(new RawClient(server.port))
      clients.foreach(c => assertEquals(c.send("subscribe\n").readUntil("\n"), "subscribed\n"))
      val publisher = new RawClient(server.port)
      assertEquals(publisher.send("a\nb\n").readUntil("published\npublished\n"), "published\npublished\n")
      clients.foreach(c => assertEquals(c.readUntil("news: b\n"), "news: a\nnews: b\n"))
      clients.tail.foreach(_.close())
      eventually(subscribers.size == 1, subscribers.size)
      assertEquals(publisher.send("c\n").readUntil("\n"), "published\n")
      assertEquals(clients.head.readUntil("\n"), "news: c\n")
      clients.head.close()
      publisher.close()
    }
  }
}
