package needletail.gateway.host

import scala.concurrent.duration._
import scala.concurrent.{Await, Promise}
import scala.util.Try

import needletail.io.{EventLoop, EventLoops}

/** Tests that run on an event loop. */
trait OnALoop {

  /** Runs `body` on the loop's thread. */
  protected def on[A](loop: EventLoop)(body: => A): A = {
    val result = Promise[A]()
    loop.execute { () =>
      result.complete(Try(body))
      ()
    }
    Await.result(result.future, 20.seconds)
  }

  protected def withLoop[A](body: EventLoop => A): A = {
    val loops = new EventLoops(1, "needletail-test", daemon = true)
    try body(loops(0))
    finally loops.stop()
  }

  protected def onLoop[A](body: EventLoop => A): A = withLoop(loop => on(loop)(body(loop)))
}
