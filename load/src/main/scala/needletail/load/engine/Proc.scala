package needletail.load.engine

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.util.control.NonFatal

/** What Linux tells in /proc, as text that is read anew each time; empty, or -1, where it does not tell. */
private[engine] final class Proc(root: Path) {
  import Proc.MaxText

  def text(name: String): String =
    try {
      val in = Files.newInputStream(root.resolve(name))
      // In large pieces: what is under sys answers the first read only, however short that is.
      try new String(in.readNBytes(MaxText), UTF_8)
      finally in.close()
    } catch { case NonFatal(_) => "" }

  def lines(name: String): Vector[String] = text(name).split('\n').toVector

  def numbers(name: String): Vector[Long] = Proc.words(text(name)).flatMap(_.toLongOption)

  def number(name: String): Long = numbers(name).headOption.getOrElse(-1)

  /** TIME_WAIT sockets of the network namespace. */
  def timeWait: Long =
    lines("net/sockstat").find(_.startsWith("TCP:")).fold(-1L) { line =>
      val words = Proc.words(line)
      val at    = words.indexOf("tw")
      if (at < 0) -1 else words.lift(at + 1).flatMap(_.toLongOption).getOrElse(-1)
    }

  /** Connections that were dropped since a listener's queue was full. */
  def listenOverflows: Long = {
    val pairs = lines("net/netstat").filter(_.startsWith("TcpExt:")).map(Proc.words)
    pairs match {
      case Vector(names, values) =>
        val at = names.indexOf("ListenOverflows")
        if (at < 0) -1 else values.lift(at).flatMap(_.toLongOption).getOrElse(-1)
      case _ => -1
    }
  }

  /** Ticks of all processors since the start of the machine: busy ones, and all. */
  def processorTicks: (Long, Long) =
    lines("stat").find(_.startsWith("cpu ")).fold((-1L, -1L)) { line =>
      // user nice system idle iowait irq softirq steal; what follows is part of the first two
      val ticks = Proc.words(line).drop(1).take(8).flatMap(_.toLongOption)
      if (ticks.size < 5) (-1L, -1L) else (ticks.sum - ticks(3) - ticks(4), ticks.sum)
    }

  /** Nanoseconds for which a thread of this process ran, and for which it wanted to run but had no processor. */
  def threadTimes(thread: Long): (Long, Long) = numbers(s"self/task/$thread/schedstat") match {
    case ran +: waited +: _ => (ran, waited)
    case _                  => (-1L, -1L)
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
}
