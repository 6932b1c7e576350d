package needletail.load.engine.machine

import java.io.FileInputStream
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path, Paths}

import scala.util.control.NonFatal

/** Linux's /proc, read anew each time; empty texts, or -1, if not available. */
private[engine] final class ProcFiles(root: Path) {
  import ProcFiles.{Listening, MaxText, ProcessTicks, Words}

  def text(name: String): String =
    try {
      val in = new FileInputStream(root.resolve(name).toString)
      // In large pieces: files under sys answer the first read only, however short it is.
      try new String(in.readNBytes(MaxText), ISO_8859_1)
      finally in.close()
    } catch { case NonFatal(_) => "" }

  def lines(name: String): Vector[String] = text(name).split('\n').toVector

  def numbers(name: String): Vector[Long] = ProcFiles.words(text(name)).flatMap(_.toLongOption)

  def number(name: String): Long = numbers(name).headOption.getOrElse(-1)

  // The following is read each second of a run, perhaps on the same processor as loops: so it is parsed in place, as
  // splitting into lines and words would take half a millisecond.

  /** TIME_WAIT sockets of the network namespace. */
  def timeWait: Long = {
    val all = new Words(text("net/sockstat"))
    if (all.seekLine("TCP:") && all.seek("tw")) all.number() else -1
  }

  /** Connections that were dropped because a listener's queue was full. */
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
      // user nice system idle iowait irq softirq steal; the rest is part of the first two
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

  /** The machine's processors, which may be more than this process may use; -1 if unknown. */
  def processors: Int = {
    val count = lines("stat").count(line => line.startsWith("cpu") && line.length > 3 && line(3).isDigit)
    if (count == 0) -1 else count
  }

  /** The inodes of sockets that listen at one of these TCP ports. */
  def listeners(ports: Set[Int]): Set[Long] =
    Vector("net/tcp", "net/tcp6").flatMap(lines).map(ProcFiles.words).collect {
      case fields if fields.length > 9 && fields(3) == Listening && ports(portOf(fields(1))) =>
        fields(9).toLongOption
    }.flatten.toSet

  private def portOf(address: String): Int =
    try Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16)
    catch { case _: NumberFormatException => -1 }

  /** All processes. */
  def processes: Vector[Long] = files(root).flatMap(_.getFileName.toString.toLongOption)

  /** The process or thread that was started last; -1 if unknown. */
  def lastProcess: Long = ProcFiles.words(text("loadavg")).lift(4).flatMap(_.toLongOption).getOrElse(-1)

  /** Whether a process has one of these sockets open; false if this one may not examine it. */
  def hasOpen(process: Long, inodes: Set[Long]): Boolean =
    files(root.resolve(s"$process/fd")).exists { descriptor =>
      try ProcFiles.socket(Files.readSymbolicLink(descriptor).toString).exists(inodes)
      catch { case NonFatal(_) => false }
    }

  private def files(folder: Path): Vector[Path] =
    try {
      val all = Files.list(folder)
      try all.toArray.toVector.map(_.asInstanceOf[Path])
      finally all.close()
    } catch { case NonFatal(_) => Vector.empty }

  /** None if it has ended, and its parent has taken note of that. */
  def processTicks(process: Long): Option[ProcessTicks] = {
    val stat = text(s"$process/stat")
    // the name, in parentheses, may contain anything
    val fields = ProcFiles.words(stat.substring(stat.lastIndexOf(')') + 1))
    if (fields.length < 15) None
    else {
      // its own, and those of children that have ended
      val times  = fields.slice(11, 15).flatMap(_.toLongOption.filter(_ >= 0))
      val parent = fields(1).toLongOption
      if (times.size < 4) None else parent.map(ProcessTicks(_, times.sum))
    }
  }

  /** Nanoseconds for which a thread of this process ran, and for which it was runnable but had no processor. */
  def threadTimes(thread: Long): (Long, Long) = {
    val all    = new Words(text(s"self/task/$thread/schedstat"))
    val ran    = all.number()
    val waited = all.number()
    if (waited < 0) (-1L, -1L) else (ran, waited)
  }

  /** The soft limit of open descriptors of this process. */
  def descriptors: Long =
    lines("self/limits").find(_.startsWith("Max open files")).fold(-1L) { line =>
      ProcFiles.words(line.drop("Max open files".length)).headOption.fold(-1L)(w =>
        if (w == "unlimited") Long.MaxValue else w.toLongOption.getOrElse(-1)
      )
    }
}

private[engine] object ProcFiles {
  private final val MaxText = 1024 * 1024

  /** The state of a listening socket in net/tcp. */
  private final val Listening = "0A"

  val system = new ProcFiles(Paths.get("/proc"))

  /**
   * Of a process.
   *
   * @param ticks of the processors that it and its children that have ended have used
   */
  final case class ProcessTicks(parent: Long, ticks: Long)

  /** The inode in `socket:[inode]`, to which the descriptor of a socket is a link. */
  private def socket(link: String): Option[Long] =
    if (link.startsWith("socket:[") && link.endsWith("]")) link.substring(8, link.length - 1).toLongOption
    else None

  /** The calling thread's id in the system; -1 if not available. */
  def thisThread: Long =
    try Files.readSymbolicLink(Paths.get("/proc/thread-self")).getFileName.toString.toLong
    catch { case NonFatal(_) => -1 }

  private def words(text: String): Vector[String] = text.trim.split("\\s+").toVector

  /** Finds words in a text; each search for a line or word continues where the last one ended. */
  private final class Words(text: String) {
    private var at = 0

    /** Advances past the first word of the next line that begins with it; false if there is none. */
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

    /** Advances past that word in this line. */
    def seek(word: String): Boolean = count(word) >= 0

    /** Likewise. Returns how many words came before it, -1 if it is not found. */
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

    /** The next word of this line as a number; -1 if it is not a number from 0 up. */
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

    /** Whether index `i` is the end of a word. */
    private def endsAt(i: Int): Boolean = i >= text.length || text.charAt(i) <= ' '
  }
}
