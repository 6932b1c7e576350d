package needletail.stream

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path

import scala.concurrent.duration.FiniteDuration
import scala.util.{Failure, Success, Try}

import needletail.async.{Async, AsyncPromise, Loop, Survivable}
import needletail.stream.stage._

/**
 * Elements on demand: nothing is read or produced before `next` is called.
 *
 * A stream is used once, on one event loop, by one reader: `next`, or one of the methods below, which take the stream
 * over and read it when they are read. The result has to be read to its end or cancelled instead of the stream.
 * A stream that fails has ended. So does one with a function that throws; its source is then cancelled.
 *
 * To implement one, define `next` and `cancel`.
 */
abstract class Stream[+A] extends Pull[A] {

  /**
   * The next element; `None` at the end, and in every call after it. A failure ends the stream. Must not be called
   * again before its last result is complete, which it also is when it was cancelled or nobody waits for it any more.
   * That does not end the stream: the streams of this package return the element with the next call.
   */
  def next(): Async[Option[A]]

  /**
   * Ends the stream early and releases what it holds. May be called more than once, and after the end. Streams of this
   * package fail an outstanding `next` with `Cancelled`.
   */
  def cancel(): Unit

  private[needletail] def advance(): AnyRef =
    try {
      val answer = next()
      val result = answer.resultOrNull
      if (result == null) new Later(answer.map(Pull.fromOption))
      else if (result.isValue) Pull.fromOption(result.value)
      else Pull.fail(result.error)
    } catch { case Survivable(e) => Pull.fail(e) }

  // ---- elements ----

  /** `f` of each element. */
  final def map[B](f: A => B): Stream[B] = Stream.staged(Mapped(asPull, f))

  /** The elements for which `p` holds. */
  final def filter(p: A => Boolean): Stream[A] = Stream.staged(new Filtered(asPull, p))

  /** `f` of the elements that it is defined for. */
  final def collect[B](f: PartialFunction[A, B]): Stream[B] = Stream.staged(new Collected(asPull, f))

  /** The elements of the streams that `f` makes, one stream after the other. */
  final def flatMap[B](f: A => Stream[B]): Stream[B] = Stream.staged(new FlatMapped(asPull, f))

  /**
   * The results of `f`, in the order of the elements. At most `parallelism` are in progress, and as many
   * elements are read ahead. The first failure, in this order, ends the stream and cancels those in progress.
   */
  final def mapAsync[B](parallelism: Int)(f: A => Async[B]): Stream[B] = {
    Stream.check(parallelism > 0, s"parallelism is $parallelism, but must be above 0")
    Stream.staged(new MappedAsync(asPull, parallelism, f))
  }

  /** The first `count` elements. The source is cancelled with the last of them. */
  final def take(count: Long): Stream[A] = Stream.staged(new Taken(asPull, count))

  /** All but the first `count` elements. */
  final def drop(count: Long): Stream[A] = Stream.staged(new Dropped(asPull, count))

  /** The elements before the first one for which `p` does not hold. */
  final def takeWhile(p: A => Boolean): Stream[A] = Stream.staged(new TakenWhile(asPull, p))

  /** The elements from the first one on for which `p` does not hold. */
  final def dropWhile(p: A => Boolean): Stream[A] = Stream.staged(new DroppedWhile(asPull, p))

  /** Groups of `size` elements in their order; the last group may be smaller. */
  final def chunks(size: Int): Stream[Vector[A]] = {
    Stream.check(size > 0, s"size is $size, but must be above 0")
    Stream.staged(new Grouped(asPull, size))
  }

  /** `zero`, and then for each element the result of `f` for the previous result and the element. */
  final def scan[B](zero: B)(f: (B, A) => B): Stream[B] = Stream.staged(new Scanned(asPull, zero, f))

  /** Each element with its number, from 0 on. */
  final def zipWithIndex: Stream[(A, Long)] = Stream.staged(new Indexed(asPull))

  // ---- several streams ----

  /** This one, then `other`. Both are cancelled if it ends early. */
  final def ++[B >: A](other: Stream[B]): Stream[B] =
    Stream.staged(Concatenated[B](asPull, other.asPull))

  /** `elements`, then this one. */
  final def prepend[B >: A](elements: B*): Stream[B] = Stream.from(elements) ++ this

  /** Pairs of elements. Ends with the shorter stream, and cancels the other one. */
  final def zip[B](other: Stream[B]): Stream[(A, B)] = Stream.staged(new Zipped(asPull, other.asPull))

  /**
   * At most one element in each `period`, the first after the first period. An element that comes later than that, as its
   * source or the reader has paused, begins a new period: those after it do not come faster for that.
   */
  final def paced(period: FiniteDuration): Stream[A] = {
    Stream.checkPeriod(period)
    Stream.staged(new Paced(asPull, period))
  }

  /**
   * The elements of both as they come. Ends when both have ended, or with `eager` when one of them has and the other has
   * nothing ready; the failure of one ends both.
   */
  final def merge[B >: A](other: Stream[B], eager: Boolean = false): Stream[B] =
    Stream.staged(new Merged[B](asPull, other.asPull, eager))

  /**
   * The same stream, but it ends as soon as `signal` is complete, with a value or a failure, and no element is ready;
   * elements that are ready come first. The source is then cancelled.
   */
  def until(signal: Async[Any]): Stream[A] = Stream.staged(new Until(asPull, signal))

  // ---- ends and failures ----

  /** Replaces the failures that `f` is defined for by one last element. */
  final def recover[B >: A](f: PartialFunction[Throwable, B]): Stream[B] =
    recoverWith(f.andThen(element => Stream(element)))

  /** Continues with another stream after the failures that `f` is defined for. */
  final def recoverWith[B >: A](f: PartialFunction[Throwable, Stream[B]]): Stream[B] =
    Stream.staged(new Recovered[B](asPull, f))

  /**
   * Runs `cleanUp` once, when the stream ends, fails or is cancelled. An exception of `cleanUp` replaces the end or the
   * failure. It is not run if the result is neither read to its end nor cancelled.
   */
  final def onEnd(cleanUp: => Unit): Stream[A] = Stream.staged(new Finalized(asPull, () => cleanUp))

  // ---- bytes ----

  /**
   * The lines of bytes in UTF-8, without the `\n` or `\r\n` at their end. The last line may lack it. Bytes that are not
   * UTF-8 become U+FFFD. A line of more than `longest` bytes fails with [[FrameError]].
   */
  final def lines(longest: Int = Stream.LongestLine)(implicit bytes: A <:< Array[Byte]): Stream[String] = {
    Stream.check(longest > 0, s"longest is $longest, but must be above 0")
    Stream.staged(new Lines(pulling(bytes), longest))
  }

  /** As `lines`. `room` is called before more bytes of an incomplete line are kept: null permits them, else it fails so. */
  private[needletail] final def linesWithin(longest: Int, room: Int => Throwable)(implicit
      bytes: A <:< Array[Byte]
  ): Stream[String] = {
    Stream.check(longest > 0, s"longest is $longest, but must be above 0")
    Stream.staged(new Lines(pulling(bytes), longest, room))
  }

  /**
   * Frames that each begin with their length, an unsigned big-endian number of `prefix` bytes (1 to 4) that does not
   * count itself. A frame of more than `longest` bytes, and an end within a frame, fail with [[FrameError]].
   */
  final def prefixedFrames(prefix: Int, longest: Int)(implicit
      bytes: A <:< Array[Byte]
  ): Stream[Array[Byte]] = {
    Stream.check(prefix >= 1 && prefix <= 4, s"prefix is $prefix, but must be 1 to 4")
    Stream.check(longest > 0, s"longest is $longest, but must be above 0")
    Stream.staged(new PrefixedFrames(pulling(bytes), prefix, longest))
  }

  /**
   * Frames that each end with `delimiter`, without it. The last frame may lack it. A frame of more than `longest` bytes
   * fails with [[FrameError]].
   */
  final def delimitedFrames(delimiter: Array[Byte], longest: Int)(implicit
      bytes: A <:< Array[Byte]
  ): Stream[Array[Byte]] = {
    Stream.check(delimiter.nonEmpty, "the delimiter is empty")
    Stream.check(longest > 0, s"longest is $longest, but must be above 0")
    Stream.staged(new DelimitedFrames(pulling(bytes), delimiter.clone, longest))
  }

  /** Each text in UTF-8. */
  final def utf8(implicit text: A <:< String): Stream[Array[Byte]] = map(a => text(a).getBytes(UTF_8))

  /**
   * Writes the bytes to a file, which is created or emptied (with `append`, written to at its end), on threads for
   * blocking work. Completes with the number of bytes when the file is closed; data that the system has not written to the disk
   * by then is not waited for. After a failure or cancellation, the file contains what was written before.
   */
  final def writeTo(file: Path, append: Boolean = false)(implicit bytes: A <:< Array[Byte]): Async[Long] =
    new FileSink(pulling(bytes), new OpenFile(FileSink.open(file, append))).run()

  // ---- reading it to its end: cancelling the result cancels the stream ----

  /** Calls `f` with each element. */
  final def foreach(f: A => Any): Async[Unit] = new Drain[A, Unit](asPull, f, () => ()).run()

  /** Reads all elements and drops them. */
  final def drain(): Async[Unit] = foreach(_ => ())

  /** The result of applying `f` to `zero` and all elements, one after the other. */
  final def fold[B](zero: B)(f: (B, A) => B): Async[B] = {
    var state = zero
    new Drain[A, B](asPull, element => state = f(state, element), () => state).run()
  }

  /** All elements. More than `most` fail with [[TooManyElements]]. */
  final def toList(most: Int): Async[List[A]] = {
    val elements = List.newBuilder[A]
    var left     = most
    new Drain[A, List[A]](
      asPull,
      element => {
        if (left <= 0) throw new TooManyElements(most)
        left -= 1
        elements += element
      },
      () => elements.result()
    ).run()
  }

  /** The first element, if there is one. The rest is cancelled. */
  final def headOption: Async[Option[A]] = take(1).fold(Option.empty[A])((_, element) => Some(element))

  /**
   * The elements for another thread than that of `loop`, which reads the stream. `hasNext` and `next` block, read at most
   * 64 elements ahead, and throw the stream's failure. Must be read to its end or closed, which cancels the stream.
   */
  final def blockingIterator(loop: Loop): Iterator[A] with AutoCloseable = new BlockingIterator(asPull, loop)

  // asPull, of a type that the compiler cannot conclude from the evidence
  private def pulling[B](evidence: A <:< B): Pull[B] = evidence.liftCo[Pull](asPull)
}

/** The failure of a stream that has more than `most` elements. It has no stack trace. */
final class TooManyElements(val most: Int)
    extends RuntimeException(s"the stream has more than $most elements", null, false, false)

object Stream {

  /** The longest line that `lines` accepts by default, in bytes. */
  final val LongestLine = 8192

  /** These elements. */
  def apply[A](elements: A*): Stream[A] = from(elements)

  /** A stream without elements. */
  def empty: Stream[Nothing] = from(Nil)

  /** A stream that fails at once. */
  def fail(error: Throwable): Stream[Nothing] = staged(new FailedPull(error))

  /** The elements of a collection. */
  def from[A](elements: Iterable[A]): Stream[A] = fromIterator(elements.iterator)

  /** The elements of an iterator, taken one at a time on demand, on the loop: it must not block. */
  def fromIterator[A](elements: Iterator[A]): Stream[A] = staged(new FromIterator(elements))

  /** The stream that `make` returns, created when its first element is requested; never, if it is cancelled before. */
  def defer[A](make: => Async[Stream[A]]): Stream[A] = staged(new Deferred[A](() => make))

  /** The elements that `f` returns for each state, with the next state, until it returns None: pages of a listing, for example. */
  def unfold[S, A](state: S)(f: S => Async[Option[(A, S)]]): Stream[A] = staged(new Unfolded(state, f))

  /**
   * The number of periods that have passed since the first call of `next`, at the end of each one. Periods during which
   * no reader waits are skipped: after a delay there is one element, not many. Endless.
   */
  def ticks(period: FiniteDuration): Stream[Long] = {
    checkPeriod(period)
    staged(new Ticks(period))
  }

  /**
   * The content of a file in pieces of at most `pieceSize` bytes, read on threads for blocking work. The file is opened
   * when the first piece is requested, and closed at the end. A file that does not exist, a directory and an error of
   * the disk fail with a `java.io.IOException`. Opening a FIFO blocks its thread until another process
   * does, even if the stream is cancelled.
   */
  def file(path: Path, pieceSize: Int = 65536): Stream[Array[Byte]] = {
    check(pieceSize > 0, s"pieceSize is $pieceSize, but must be above 0")
    staged(new FileSource(new OpenFile(FileSource.open(path)), pieceSize))
  }

  private[stream] def staged[A](pull: Pull[A]): Stream[A] = new Staged(pull)

  private def check(holds: Boolean, message: String): Unit =
    if (!holds) throw new IllegalArgumentException(message)

  private def checkPeriod(period: FiniteDuration): Unit =
    check(period.length > 0, s"period is $period, but must be above 0")

  private val end: Async[Option[Nothing]] = Async.value(None)

  /**
   * The reader's view of a chain of stages: keeps the contract of `next` and `cancel`. Where a reader gives a result up,
   * the read behind it goes on until the loop's next turn: if the reader reads again before, it gets that one's result.
   * So the source has one read at a time, and an element that it has delivered on its way to a reader that has left is
   * not lost. Then the read is withdrawn from, as nobody waits: time limits of the source do not run, except below
   * stages that keep the read themselves, such as `merge`, `zip`, `paced`, `until` and `mapAsync`.
   */
  private final class Staged[A](pull: Pull[A]) extends Stream[A] {
    private var over                           = false
    private var asked: AsyncPromise[Option[A]] = null // the last result
    private var reading: Async[Unit]           = null // null if nothing is being read
    private var unclaimed: Try[Option[A]]      = null // what was read for a reader that had left

    override private[needletail] def standsFor: Pull[A] = if (isClear) pull else null
    override private[needletail] def advance(): AnyRef  = if (isClear) pull.advance() else super.advance()

    private def isClear: Boolean = reading == null && unclaimed == null

    def next(): Async[Option[A]] =
      if (asked != null && !asked.isCompleted)
        Async.fail(new IllegalStateException("next was called before its last result was complete"))
      else if (unclaimed != null) {
        val read = unclaimed
        unclaimed = null
        Async.fromTry(read)
      } else if (over) end
      else if (reading != null) ask()
      else
        advanced() match {
          case Pull.End =>
            over = true
            end
          case later: Later => await(later)
          case element      => Async.value(Some(element.asInstanceOf[A]))
        }

    private def advanced(): AnyRef =
      try pull.advance()
      catch {
        case Survivable(e) => // the stack is used up
          cancel()
          Pull.fail(e)
      }

    private def ask(): AsyncPromise[Option[A]] = {
      asked = new AsyncPromise
      asked.onCancel(left)
      asked
    }

    private def await(later: Later): Async[Option[A]] = {
      val result = ask()
      val read   = later.async.transform(received)
      if (over) { // a function of the stream has cancelled it meanwhile
        result.cancel()
        read.cancel()
      } else if (!read.isCompleted) reading = read
      result
    }

    private val received: Try[AnyRef] => Async[Unit] = read => {
      reading = null
      if (!over || !asked.isCompleted) { // otherwise the stream has been cancelled, and its source delivers meanwhile
        val result = read match {
          case Success(Pull.End) => Success(None)
          case Success(element)  => Success(Some(element.asInstanceOf[A]))
          case Failure(e)        => Failure(e)
        }
        if (!result.toOption.exists(_.isDefined)) over = true
        if (!asked.complete(result)) unclaimed = result
      }
      Async.unit
    }

    private val withdrawal: Runnable = () => if (reading != null && asked.isCompleted) withdraw()

    private val left: () => Unit = () =>
      if (reading != null) {
        val loop = Loop.currentOrNull
        if (loop == null) withdraw()
        else
          try loop.execute(withdrawal)
          catch { case Survivable(_) => withdraw() } // it has ended
      }

    private def withdraw(): Unit = {
      val outstanding = reading
      reading = null
      outstanding.cancel()
    }

    def cancel(): Unit = {
      unclaimed = null
      if (!over) {
        over = true
        val outstanding = reading
        reading = null
        if (asked != null) asked.cancel()
        if (outstanding != null) outstanding.cancel()
        Pull.cancel(pull)
      }
    }
  }
}
