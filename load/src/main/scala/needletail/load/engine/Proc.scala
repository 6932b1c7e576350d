package needletail.load.engine

import java.io.FileInputStream
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path, Paths}

import scala.util.control.NonFatal

/** What Linux tells in /proc, as text that is read anew each time; empty, or -1, where it does not tell. */
private[engine] final class Proc(root: Path) {
  import Proc.{MaxText, Words}

  def text(name: String): String =
    try {
      val in = new FileInputStream(root.resolve(name).toString)
      // In large pieces: what is under sys answers the first read only, however short that is.
      try new String(in.readNBytes(MaxText), ISO_8859_1)
      finally in.close()
    } catch { case NonFatal(_) => "" }

  def lines(name: String): Vector[String] = text(name).split('\n').toVector

  def numbers(name: String): Vector[Long] = Proc.words(text(name)).flatMap(_.toLongOption)

  def number(name: String): Long = numbers(name).headOption.getOrElse(-1)

  // What follows is read each second of a run, beside loops that may have no other processor: so it is looked for in
  // place, where taking lines and words apart takes half a millisecond.

  /** TIME_WAIT sockets of the network namespace. */
  def timeWait: Long = {
    val all = new Words(text("net/sockstat"))
    if (all.seekLine("TCP:") && all.seek("tw")) all.number() else -1
  }

  /** Connections that were dropped since a listener's queue was full. */
  def listenOverflows: Long = {
    val all = new Words(text("net/netstat"))
    if (!all.seekLine("TcpExt:")) -1
    else {
      val column = all.count("ListenOverflows")
      if (column < 0 || !all.seekLine("TcpExt:")) -1
      else {
        var i = 0
        while (i < column) {
          all.number()
          i += 1
        }
        all.number()
      }
    }
  }

  /** Ticks of all processors since the start of the machine: busy ones, and all. */
  def processorTicks: (Long, Long) = {
    val all = new Words(text("stat"))
    if (!all.seekLine("cpu")) (-1L, -1L)
    else {
      // user nice system idle iowait irq softirq steal; what follows is part of the first two
      var busy, total = 0L
      var i           = 0
      var known       = true
      while (i < 8 && known) {
        val ticks = all.number()
        known = ticks >= 0
        if (known) {
          total += ticks
          if (i != 3 && i != 4) busy += ticks
          i += 1
        }
      }
      if (i < 5) (-1L, -1L) else (busy, total)
    }
  }

  /** Nanoseconds for which a thread of this process ran, and for which it wanted to run but had no processor. */
  def threadTimes(thread: Long): (Long, Long) = {
    val all    = new Words(text(s"self/task/$thread/schedstat"))
    val ran    = all.number()
    val waited = all.number()
    if (waited < 0) (-1L, -1L) else (ran, waited)
  }

  /** The soft limit of open descriptors of this process. */
  def descriptors: Long =
    lines("self/limits").find(_.startsWith("Max open files")).fold(-1L) { line =>
      Proc.words(line.drop("Max open files".length)).headOption.fold(-1L)(w =>
        if (w == "unlimited") Long.MaxValue else w.toLongOption.getOrElse(-1)
      )
    }
}

private[engine] object Proc {
  private final val MaxText = 1024 * 1024

  val system = new Proc(Paths.get("/proc"))

  /** The calling thread's number for the system; -1 where there is none. */
  def thisThread: Long =
    try Files.readSymbolicLink(Paths.get("/proc/thread-self")).getFileName.toString.toLong
    catch { case NonFatal(_) => -1 }

  private def words(text: String): Vector[String] = text.trim.split("\\s+").toVector

  /** The words of a text, one after the other; lines and words of them are looked for from where the last one ended. */
  private final class Words(text: String) {
    private var at = 0

    /** Goes behind the first word of the next line that begins with it; false where there is none. */
    def seekLine(first: String): Boolean = {
      var found = -1
      var from  = at
      while (found < 0 && from >= 0) {
        val i = text.indexOf(first, from)
        if (i >= 0 && (i == 0 || text.charAt(i - 1) == '\n') && endsAt(i + first.length)) found = i
        from = if (i < 0) -1 else i + 1
      }
      if (found >= 0) at = found + first.length
      found >= 0
    }

    /** Goes behind that word of this line. */
    def seek(word: String): Boolean = count(word) >= 0

    /** Likewise; how many words came before it, -1 where it is not there. */
    def count(word: String): Int = {
      var passed = 0
      var found  = false
      var more   = true
      while (more && !found) {
        skipSpace()
        val from = at
        while (!endsAt(at)) at += 1
        found = at - from == word.length && text.startsWith(word, from)
        more = at > from
        if (!found) passed += 1
      }
      if (found) passed else -1
    }

    /** The next word of this line, which is a number that is not negative; -1 where it is not. */
    def number(): Long = {
      skipSpace()
      var value  = 0L
      val from   = at
      var digits = true
      while (!endsAt(at)) {
        val digit = text.charAt(at) - '0'
        digits = digits && digit >= 0 && digit <= 9
        value = value * 10 + digit
        at += 1
      }
      if (digits && at > from) value else -1
    }

    private def skipSpace(): Unit = while (at < text.length && text.charAt(at) == ' ') at += 1

    /** Is that no place inside a word? */
    private def endsAt(i: Int): Boolean = i >= text.length || text.charAt(i) <= ' '
  }
}
