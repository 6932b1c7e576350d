package needletail.io.dns

import needletail.async.{Loop, OnDemandThreads, Survivable}

import java.io.IOException
import java.net.{InetAddress, UnknownHostException}
import java.util
import java.util.concurrent.{Executor, RejectedExecutionException}

import scala.concurrent.duration._

import scala.collection.mutable.LinkedHashSet

/**
 * Resolves host names to addresses. The system's lookup blocks, for long if a name server does not answer, so it runs
 * on threads of its own, one lookup at a time for each host: all callers that request that host wait for it.
 *
 * Addresses are cached for `FoundNanos`, failures for `FailedNanos`, on both platforms, as the system's lookup has no
 * cache on Native. On the JVM `InetAddress` also has a cache of its own, of half a minute unless
 * `networkaddress.cache.ttl` is set.
 *
 * A name server that does not answer may be asked for many names. So names that have not been found before, or not the
 * last time, are looked up `mostDoubtful` at a time: they cannot occupy the threads that known names need. Names that
 * nobody waits for any more are not looked up: they cannot delay those that somebody does.
 */
private[io] final class DnsResolver(
    lookUp: String => Array[InetAddress],
    nanoTime: () => Long,
    threads: Executor,
    mostDoubtful: Int = DnsResolver.Threads / 2
) {
  import DnsResolver.*

  private val entries = new util.LinkedHashMap[String, Entry] // oldest first; guarded by its own lock
  // guarded by the same lock
  private var underWay = 0 // entries without an answer yet
  private var waiting  = 0 // in all entries
  private var doubtful = 0 // threads that look up doubtful names
  // doubtful names that wait for one of these threads; of Scala: an iterator of Java's copies the set on Native
  private val later = new LinkedHashSet[Entry]

  /**
   * Calls `f` on `loop`: at once if no lookup is needed, otherwise when it is done. What it returns is to be run if `f`
   * does not wait any more. To be called on `loop`.
   */
  def resolve(host: String, loop: Loop)(f: Answer => Unit): Runnable = {
    val known = literal(host)
    if (known ne null) {
      f(known)
      nothing
    } else {
      val name   = lowerCase(host)
      val waiter = new Waiter(loop, f)
      val answer = entries.synchronized(remembered(name, waiter))
      if (answer ne null) {
        f(answer)
        nothing
      } else () => withdraw(waiter)
    }
  }

  /** The cached answer; null if `waiter` now waits for a lookup. */
  private def remembered(name: String, waiter: Waiter): Answer =
    entries.get(name) match {
      case entry: Entry if entry.isUnderWay =>
        if (waiting >= MaxWaiting) TooMany else join(entry, waiter)
      case entry: Entry if entry.until - nanoTime() > 0 => entry.answer
      case last                                         =>
        val entry = new Entry(name, if (last eq null) null else last.answer)
        try {
          begin(entry)
          entries.remove(name) // now, as the new one is the youngest
          makeRoom()
          entries.put(name, entry)
          underWay += 1
          join(entry, waiter)
        } catch {
          case _: RejectedExecutionException => TooMany
          case Survivable(e)                 =>
            Left(new IOException(s"there is no thread to look up $name: ${e.getMessage}", e))
        }
    }

  private def begin(entry: Entry): Unit =
    if (!entry.isDoubtful) threads.execute(() => find(entry))
    else if (doubtful < mostDoubtful) {
      threads.execute(() => findDoubtful(entry))
      doubtful += 1
    } else if (later.size < MaxQueued) later.addOne(entry): Unit
    else throw new RejectedExecutionException

  private def join(entry: Entry, waiter: Waiter): Answer = {
    waiting += 1
    entry.waiters.add(waiter)
    waiter.entry = entry
    null
  }

  /** It waits no more. */
  private def withdraw(waiter: Waiter): Unit = entries.synchronized {
    val entry = waiter.entry
    if (entry.waiters.remove(waiter)) {
      waiting -= 1
      if (entry.waiters.isEmpty && later.remove(entry)) forget(entry)
    }
  }

  /** That name is not looked up. What was known of it before is known again. */
  private def forget(entry: Entry): Unit = {
    underWay -= 1
    if (entry.isDoubtful) entries.remove(entry.name): Unit
    else {
      entry.answer = entry.before
      entry.until = nanoTime()
    }
  }

  /** Whether somebody waits for the answer; otherwise the entry is over. */
  private def isWanted(entry: Entry): Boolean = entries.synchronized {
    val wanted = !entry.waiters.isEmpty
    if (!wanted) forget(entry)
    wanted
  }

  /**
   * Removes the oldest answers if there are too many: failures first, as a name is as doubtful without one. Those that are
   * being looked up do not count, so that they push out no name that has been found.
   */
  private def makeRoom(): Unit = {
    var more = entries.size - underWay - MaxRemembered + 1
    for (isFound <- List(false, true) if more > 0) {
      val all = entries.values.iterator
      while (more > 0 && all.hasNext) {
        val entry = all.next()
        if (!entry.isUnderWay && entry.answer.isRight == isFound) {
          all.remove()
          more -= 1
        }
      }
    }
  }

  /** Looks up that name, and then those that wait for this thread. */
  private def findDoubtful(first: Entry): Unit = {
    var entry = first
    try while (entry ne null) {
        find(entry)
        entry = nextDoubtful()
      }
    finally if (entry ne null) goOnElsewhere()
  }

  private def nextDoubtful(): Entry = entries.synchronized {
    if (later.isEmpty) {
      doubtful -= 1
      null
    } else {
      val next = later.head
      later.remove(next)
      next
    }
  }

  /** A fatal error ends the thread: another one has to look up the names that wait for it. */
  private def goOnElsewhere(): Unit = {
    var next = nextDoubtful()
    if (next ne null) {
      val entry = next
      try threads.execute(() => findDoubtful(entry))
      catch {
        case Survivable(_) =>
          while (next ne null) {
            found(next, CutOff)
            next = nextDoubtful()
          }
      }
    }
  }

  private def find(entry: Entry): Unit = if (isWanted(entry)) {
    var answer = CutOff
    try answer = Right(lookUp(entry.name))
    catch {
      case e: IOException => answer = Left(e)
      case Survivable(e)  => answer = Left(new IOException(s"the lookup of ${entry.name} failed: $e", e))
    } finally
      found(entry, answer) // also after a fatal error: otherwise that host could never be looked up again
  }

  private def found(entry: Entry, answer: Answer): Unit = {
    val waiters = entries.synchronized {
      val all = entry.waiters.toArray(new Array[Waiter](0))
      entry.waiters.clear()
      waiting -= all.length
      underWay -= 1
      entry.answer = answer
      entry.until = nanoTime() + (if (answer.isRight) FoundNanos else FailedNanos)
      all
    }
    waiters.foreach(_.tell(answer))
  }
}

private[io] object DnsResolver {
  type Answer = Either[IOException, Array[InetAddress]]

  private[io] final val FoundNanos    = 10L * 1000 * 1000 * 1000
  private[io] final val FailedNanos   = 1L * 1000 * 1000 * 1000
  private[io] final val MaxRemembered = 256
  private[io] final val MaxWaiting    = 16384
  private[dns] final val Threads      = 16
  private final val MaxQueued         = 1024

  private val CutOff: Answer  = Left(new IOException("the lookup of the name was interrupted"))
  private val TooMany: Answer = Left(new IOException("too many names are being looked up"))

  /** The resolver that uses the system's look-up. */
  lazy val system: DnsResolver = new DnsResolver(NameService.lookUp, () => System.nanoTime(), newThreads())

  /** As many as hosts without an answering name server may occupy. */
  private[dns] def newThreads(most: Int = Threads, idle: FiniteDuration = 5.seconds): Executor =
    new OnDemandThreads("needletail-names", most, MaxQueued, idle)

  /** Looks up on the calling thread, which it may block; for binding a listener. */
  def blocking(host: String): Array[InetAddress] = literal(host) match {
    case null   => NameService.lookUp(host)
    case answer => answer.fold(e => throw e, identity)
  }

  /**
   * The answer for an IP address, or for text that cannot be a name; null for a name, which needs a lookup. The last
   * label of a name is not a number (RFC 1123 section 2.1); the system would read `1.2.3` as `1.2.0.3`, and `0x7f.1`
   * as the loopback address.
   */
  def literal(host: String): Answer = {
    val address = AddressText.parse(host)
    if (address ne null) Right(Array(InetAddress.getByAddress(host, address)))
    else if (AddressText.isScoped(host))
      try Right(NameService.lookUp(host)) // the system resolves the interface without asking a name server
      catch { case e: UnknownHostException => Left(e) }
    else if (host.isEmpty || host.indexOf(':') >= 0 || endsInNumber(host))
      Left(new UnknownHostException(host))
    else null
  }

  /** ASCII letters only, independent of the locale. */
  private def lowerCase(host: String): String =
    host.map(c => if (c >= 'A' && c <= 'Z') (c + 32).toChar else c)

  private def endsInNumber(host: String): Boolean = {
    val end   = if (host.endsWith(".")) host.length - 1 else host.length
    val label = host.substring(host.lastIndexOf('.', end - 1) + 1, end)
    label.isEmpty || label.forall(c => c >= '0' && c <= '9') ||
    (label.startsWith("0x") || label.startsWith("0X")) && label.drop(2).forall(Character.digit(_, 16) >= 0)
  }

  private val nothing: Runnable = () => ()

  private final class Waiter(loop: Loop, f: Answer => Unit) {
    var entry: Entry = null // that it waits for

    def tell(answer: Answer): Unit =
      try loop.execute(() => f(answer))
      catch { case _: RejectedExecutionException => () } // the loop has ended
  }

  /** A host's lookup, or its answer; `before` is the last one, null for none. */
  private final class Entry(val name: String, val before: Answer) {
    val isDoubtful: Boolean = (before eq null) || before.isLeft
    val waiters             = new util.LinkedHashSet[Waiter] // in their order
    var answer: Answer      = null                           // during the lookup
    var until               = 0L

    def isUnderWay: Boolean = answer eq null
  }
}
