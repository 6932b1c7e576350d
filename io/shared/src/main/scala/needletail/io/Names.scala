package needletail.io

import needletail.async.Survivable

import java.io.IOException
import java.net.{InetAddress, UnknownHostException}
import java.util
import java.util.concurrent.{
  Executor,
  LinkedBlockingQueue,
  RejectedExecutionException,
  ThreadPoolExecutor,
  TimeUnit
}

/**
 * Host names to addresses. The system's look-up blocks, for as long as a name server that is down lets it wait, so it
 * runs on threads of its own: one at most for each host, whoever else asks for that host waits for the same look-up.
 *
 * What was found is good for `FoundNanos`, that a name has no address for `FailedNanos`: on both platforms, as the
 * system natively remembers nothing. On the JVM `InetAddress` has a memory of its own beneath, of half a minute unless
 * `networkaddress.cache.ttl` says otherwise.
 */
private[io] final class Names(
    lookUp: String => Array[InetAddress],
    nanoTime: () => Long,
    threads: Executor
) {
  import Names.*

  private val entries = new util.LinkedHashMap[String, Entry] // oldest first; whoever uses it locks it
  private var waiting = 0                                     // of all entries; likewise

  /** Calls `f` on `loop`: at once where nothing is to be looked up, else when that is done. Called on `loop`. */
  def resolve(host: String, loop: EventLoop)(f: Answer => Unit): Unit = {
    val known = literal(host)
    if (known ne null) f(known)
    else {
      val name   = lowerCase(host)
      val answer = entries.synchronized(remembered(name, loop, f))
      if (answer ne null) f(answer)
    }
  }

  /** What is known of the name; null where `f` waits for it now. */
  private def remembered(name: String, loop: EventLoop, f: Answer => Unit): Answer =
    entries.get(name) match {
      case entry: Entry if entry.isUnderWay =>
        if (waiting >= MaxWaiting) TooMany else join(entry, loop, f)
      case entry: Entry if entry.until - nanoTime() > 0 => entry.answer
      case _                                            =>
        entries.remove(name)
        val entry = new Entry
        try {
          threads.execute(() => find(name, entry))
          makeRoom()
          entries.put(name, entry)
          join(entry, loop, f)
        } catch { case _: RejectedExecutionException => TooMany }
    }

  private def join(entry: Entry, loop: EventLoop, f: Answer => Unit): Answer = {
    waiting += 1
    entry.waiters ::= new Waiter(loop, f)
    null
  }

  /** The oldest that is no longer under way makes room. */
  private def makeRoom(): Unit =
    if (entries.size >= MaxRemembered) {
      val all  = entries.values.iterator
      var done = false
      while (!done && all.hasNext) if (!all.next().isUnderWay) {
        all.remove()
        done = true
      }
    }

  private def find(name: String, entry: Entry): Unit = {
    var answer = CutOff
    try answer = Right(lookUp(name))
    catch {
      case e: IOException => answer = Left(e)
      case Survivable(e)  => answer = Left(new IOException(s"the look-up of $name failed: $e", e))
    } finally found(entry, answer) // whatever ends this thread: else nobody could ask for the host any more
  }

  private def found(entry: Entry, answer: Answer): Unit = {
    val waiters = entries.synchronized {
      val all = entry.waiters
      entry.waiters = Nil
      waiting -= all.length
      entry.answer = answer
      entry.until = nanoTime() + (if (answer.isRight) FoundNanos else FailedNanos)
      all
    }
    waiters.reverse.foreach(_.tell(answer))
  }
}

private[io] object Names {
  type Answer = Either[IOException, Array[InetAddress]]

  private[io] final val FoundNanos    = 10L * 1000 * 1000 * 1000
  private[io] final val FailedNanos   = 1L * 1000 * 1000 * 1000
  private[io] final val MaxRemembered = 256
  private[io] final val MaxWaiting    = 16384
  private final val Threads           = 16
  private final val MaxQueued         = 1024

  private val CutOff: Answer  = Left(new IOException("the look-up of the name was cut off"))
  private val TooMany: Answer = Left(new IOException("too many names are being looked up"))

  /** The system's names. */
  lazy val system: Names = new Names(NameService.lookUp, () => System.nanoTime(), newThreads())

  /** As many as hosts whose name servers do not answer may take, made when needed. */
  private def newThreads(): Executor = {
    val pool = new ThreadPoolExecutor(
      Threads,
      Threads,
      5,
      TimeUnit.SECONDS,
      new LinkedBlockingQueue[Runnable](MaxQueued),
      (task: Runnable) => {
        val thread = new Thread(task, "needletail-names")
        thread.setDaemon(true)
        thread
      }
    )
    pool.allowCoreThreadTimeOut(true)
    pool
  }

  /** Looks up in the calling thread, which it may block; for who begins to listen. */
  def blocking(host: String): Array[InetAddress] = literal(host) match {
    case null   => NameService.lookUp(host)
    case answer => answer.fold(e => throw e, identity)
  }

  /**
   * Of an address written out, and of what can be no name: that needs no look-up. Null for a name. A name's last
   * label is no number (RFC 1123 section 2.1); the system would take `1.2.3` for `1.2.0.3`, and `0x7f.1` for this
   * machine.
   */
  def literal(host: String): Answer = {
    val address = AddressText.parse(host)
    if (address ne null) Right(Array(InetAddress.getByAddress(host, address)))
    else if (AddressText.isScoped(host))
      try Right(NameService.lookUp(host)) // which interface that is the system knows, without asking anybody
      catch { case e: UnknownHostException => Left(e) }
    else if (host.isEmpty || host.indexOf(':') >= 0 || endsInNumber(host))
      Left(new UnknownHostException(host))
    else null
  }

  /** Of ASCII, whatever the locale. */
  private def lowerCase(host: String): String =
    host.map(c => if (c >= 'A' && c <= 'Z') (c + 32).toChar else c)

  private def endsInNumber(host: String): Boolean = {
    val end   = if (host.endsWith(".")) host.length - 1 else host.length
    val label = host.substring(host.lastIndexOf('.', end - 1) + 1, end)
    label.isEmpty || label.forall(c => c >= '0' && c <= '9') ||
    (label.startsWith("0x") || label.startsWith("0X")) && label.drop(2).forall(Character.digit(_, 16) >= 0)
  }

  private final class Waiter(loop: EventLoop, f: Answer => Unit) {
    def tell(answer: Answer): Unit =
      try loop.execute(() => f(answer))
      catch { case _: RejectedExecutionException => () } // nobody is left to hear it
  }

  /** A host's look-up, or what came of it. */
  private final class Entry {
    var answer: Answer        = null // while it is under way
    var until                 = 0L
    var waiters: List[Waiter] = Nil

    def isUnderWay: Boolean = answer eq null
  }
}
