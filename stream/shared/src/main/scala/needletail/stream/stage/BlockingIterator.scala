package needletail.stream.stage

import java.util.concurrent.RejectedExecutionException

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.Await
import scala.concurrent.duration.Duration

import needletail.async.{Async, AsyncPromise, Loop, Survivable}

/** A stream as an iterator for another thread, which fetches the elements that are ready together. */
private[stream] final class BlockingIterator[A](up: Pull[A], loop: Loop) extends Iterator[A]
    with AutoCloseable {
  import BlockingIterator.Batch
  private var fetched: Iterator[AnyRef] = Iterator.empty
  private var over                      = false // seen by the iterating thread

  // the loop's own
  private var asked: Async[AnyRef] = null
  private var ended                = false

  def hasNext: Boolean = {
    if (!fetched.hasNext && !over) {
      if (loop.inLoop) throw new IllegalStateException("a blocking iterator was used on its own event loop")
      val batch =
        try Await.result(Async.run(loop)(untilEnd(fetch())), Duration.Inf)
        catch {
          case e: InterruptedException => close(); throw e
          case e: Throwable            => over = true; throw e
        }
      if (batch.isEmpty) over = true
      fetched = batch.iterator
    }
    fetched.hasNext
  }

  def next(): A =
    if (hasNext) fetched.next().asInstanceOf[A]
    else throw new NoSuchElementException("the stream has ended")

  def close(): Unit = if (!over) {
    over = true
    fetched = Iterator.empty
    try loop.execute(() => leave())
    catch { case Survivable(_) => () } // the loop has ended, and nothing reads the stream any more
  }

  private def leave(): Unit = if (!ended) {
    ended = true
    if (asked != null) asked.cancel()
    Pull.cancel(up)
  }

  /** Fails if the loop ends before that, as nothing would complete it any more. */
  private def untilEnd(fetching: Async[ArrayBuffer[AnyRef]]): Async[ArrayBuffer[AnyRef]] =
    if (fetching.isCompleted) fetching
    else {
      val result          = new AsyncPromise[ArrayBuffer[AnyRef]]
      val ended: Runnable = () => {
        result.fail(new RejectedExecutionException("the event loop of a blocking iterator has ended"))
        ()
      }
      loop.atEnd(ended)
      fetching.onComplete { t =>
        loop.notAtEnd(ended)
        result.complete(t)
        ()
      }
      result
    }

  /** The elements that are ready, at least one; empty at the end. */
  private def fetch(): Async[ArrayBuffer[AnyRef]] = {
    val batch = new ArrayBuffer[AnyRef]
    fill(batch)
    if (!batch.isEmpty || ended) Async.value(batch)
    else
      asked.transform {
        case scala.util.Success(x) =>
          asked = null
          accept(batch, x)
          fill(batch)
          Async.value(batch)
        case scala.util.Failure(e) =>
          ended = true
          Async.fail(e)
      }
  }

  private def fill(batch: ArrayBuffer[AnyRef]): Unit =
    while (!ended && asked == null && batch.size < Batch)
      up.advance() match {
        case later: Later => asked = later.async
        case x            => accept(batch, x)
      }

  private def accept(batch: ArrayBuffer[AnyRef], x: AnyRef): Unit =
    if (x eq Pull.End) ended = true
    else { batch += x; () }
}

private object BlockingIterator {

  /** The most elements that are fetched together. */
  final val Batch = 64
}
