package needletail.websocket

import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.control.ControlThrowable

import needletail.async.{Async, AsyncPromise, Cancelled}
import needletail.routing._
import needletail.server.{Log, RunningServer, ServerFixture}
import needletail.stream.Stream
import needletail.testing.Suite

/** Whatever the code of a WebSocket throws, and wherever: that WebSocket ends, nobody else's, and the log says why. */
class ListenerFailureSuite extends Suite {
  private def depth(n: Long): String = if (n < 0) "" else depth(n + 1) + "x"

  private val kinds = Vector[() => Nothing](
    () => throw new RuntimeException("ordinary"),
    () => { depth(0); throw new IllegalStateException },
    () => throw new NoClassDefFoundError("gone"),
    () => throw new ControlThrowable {},
    () => throw new InterruptedException("now"),
    () => throw new AssertionError("wrong"),
    () => throw new WebSocketClosed(1000, "another one"),
    () => throw new Cancelled
  )

  private def source(of: () => Async[Option[Message]], atCancel: () => Unit = () => ()) =
    new Stream[Message] {
      def next(): Async[Option[Message]] = of()
      def cancel(): Unit                 = atCancel()
    }

  private def listener(fails: () => Nothing, at: String) = new WebSocketListener {
    def onMessage(message: Message): Unit                 = if (at == "message") fails()
    override def onClose(code: Int, reason: String): Unit = if (at == "close") fails()
  }

  /** What a WebSocket does, by where its code fails. */
  private val places = Map[String, (() => Nothing) => Response](
    "open"    -> (fails => webSocket(_ => fails())),
    "nothing" -> (_ => webSocket(_ => null)),
    "message" -> (fails => webSocket(_ => listener(fails, "message"))),
    "after"   -> (fails =>
      webSocket { socket =>
        socket.send("sent") // in the same turn
        socket.whenWritable.foreach(_ => ())
        _ => { socket.send("also"); fails() }
      }
    ),
    "make"   -> (fails => webSocket.stream(_ => fails())),
    "source" -> (fails => webSocket.stream(_ => source(fails))),
    "later"  -> (fails => webSocket.stream(_ => source(() => Async.yieldNow.map(_ => fails())))),
    "mapped" -> (fails => webSocket.stream(in => in.map(_ => fails()))),
    "close"  -> (fails => webSocket(_ => listener(fails, "close"))),
    "cancel" -> (fails => webSocket.stream(_ => source(() => new AsyncPromise, fails)))
  )
  private val atTheEnd = Set("close", "cancel")

  private val said = new ConcurrentLinkedQueue[(String, Throwable)]
  private val log  = new Log {
    def warn(message: String): Unit                    = ()
    def error(message: String, cause: Throwable): Unit = { said.add(message -> cause); () }
  }

  private val echo   = GET / "echo" to webSocket { socket => message => socket ! message }
  private val routes = Routes(
    echo,
    GET / "fails" / arg[String]("place") / arg[Int]("kind") to { case (place, kind) =>
      places(place)(kinds(kind))
    }
  )

  private final class Told extends WebSocketListener {
    val closed                                            = Promise[Int]()
    val heard                                             = new ConcurrentLinkedQueue[String]
    def onMessage(message: Message): Unit                 = { heard.add(message.text); () }
    override def onClose(code: Int, reason: String): Unit = { closed.trySuccess(code); () }
    def code: Int                                         = Await.result(closed.future, 20.seconds)
  }

  private def serving[A](body: (RunningServer, WebSocketClient) => A): A =
    ServerFixture.serving(routes, ServerFixture.loopback.copy(log = log)) { server =>
      val client = WebSocketClient(WebSocketClientConfig())
      try body(server, client)
      finally client.close()
    }

  private def open(server: RunningServer, client: WebSocketClient, path: String): (WebSocket, Told) = {
    val told = new Told
    val url  = s"ws://127.0.0.1:${server.port}$path"
    (Await.result(client.future(url)(_ => told), 20.seconds), told)
  }

  private def on(socket: WebSocket)(body: => Any): Unit = socket.loop.execute { () => body; () }

  test("a WebSocket whose code throws is closed with 1011, and the others go on") {
    serving { (server, client) =>
      val (neighbour, answers) = open(server, client, "/echo")
      for (place <- places.keys; kind <- kinds.indices) {
        said.clear()
        val (socket, told) = open(server, client, s"/fails/$place/$kind")
        on(socket)(if (atTheEnd(place)) socket.close(4001) else socket.send("x"))
        val clue = s"$place, $kind"
        assertEquals(told.code, if (atTheEnd(place)) 4001 else 1011, clue)
        eventually(said.size == 1, s"$clue: $said")
        val message = said.peek()._1
        assert(message.contains("a WebSocket failed (route GET /fails/{place}/{kind})"), s"$clue: $message")
        if (place == "after") assertEquals(told.heard.asScala.toList, List("sent", "also"))
      }
      for (n <- 1 to 3) on(neighbour)(neighbour.send(n.toString))
      eventually(answers.heard.asScala.toList == List("1", "2", "3"))
      // nothing is left of the others
      eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 1)
      assertEquals(Await.result(server.statistics, 20.seconds).failures, places.size.toLong * kinds.size)
    }
  }

  test("a client's listener that throws closes with 1011 too, and `open` that throws fails the future") {
    serving { (server, client) =>
      val codes = new ConcurrentLinkedQueue[Int]
      val heard = GET / "heard" to webSocket { socket =>
        socket ! "hello"
        new WebSocketListener {
          def onMessage(message: Message): Unit                 = ()
          override def onClose(code: Int, reason: String): Unit = { codes.add(code); () }
        }
      }
      ServerFixture.serving(Routes(heard)) { other =>
        val url = s"ws://127.0.0.1:${other.port}/heard"
        for ((fails, n) <- Seq(kinds(0), kinds(2)).zipWithIndex) { // each is written to the standard error stream
          Await.result(client.future(url)(_ => listener(fails, "message")), 20.seconds)
          eventually(codes.size == 2 * n + 1)
          val failed = client.future(url)(_ => fails()).failed
          eventually(codes.size == 2 * n + 2)
          val _ = Await.result(failed, 20.seconds)
        }
        assertEquals(codes.asScala.toSet, Set(1011))
      }
      val (socket, answers) = open(server, client, "/echo")
      on(socket)(socket.send("still"))
      eventually(answers.heard.asScala.toList == List("still"))
    }
  }

  test("an error of the virtual machine ends the server, as everywhere, and says so") {
    val dies = Routes(echo, GET / "dies" to webSocket(_ => _ => throw new OutOfMemoryError("none left")))
    serving { (_, client) =>
      val server = needletail.server.Server(dies, ServerFixture.loopback.copy(log = log)).start()
      try {
        val (socket, told) = open(server, client, "/dies")
        on(socket)(socket.send("x"))
        assertEquals(told.code, 1006)
        assert(Await.ready(server.stopped, 20.seconds).value.exists(_.isFailure))
        assert(said.asScala.exists(_._2.isInstanceOf[OutOfMemoryError]), said.toString)
      } finally { server.close(); () }
    }
  }
}
