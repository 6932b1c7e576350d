package needletail.conformance.harness

import scala.concurrent.duration._

import needletail.conformance.client.{Ask, Reply, ReplyReader, ReplyRules, Seen, Wire}
import needletail.testing.Pause

/** Puts a case to a program in each of the ways that bytes can arrive, and judges what comes back. */
final class Delivery(program: Program) {

  /** What is wrong: with the case sent whole, or else the first fault of each other way. */
  def faults(c: Case): Seq[String] =
    whole(c).map(Seq(_)).getOrElse {
      val positions = if (c.splits) Delivery.positions(c.bytes.length) else Nil
      glued(c).toSeq ++ dripped(c) ++ split(positions.map(c -> _)).nextOption()
    }

  /** The same for cases that differ in one byte: whole, with the next request behind, and cut around the byte. */
  def faultsAround(cases: Seq[Case], position: Int): Iterator[String] = {
    val uncut = cases.iterator.flatMap(c => whole(c).orElse(glued(c)).map(fault => s"${c.name}: $fault"))
    val cuts  =
      for { c <- cases; at <- position to position + 2 if at > 0 && at < c.bytes.length } yield c -> at
    uncut ++ split(cuts)
  }

  private def whole(c: Case): Option[String] = once(c, "whole", glued = false)(_.send(c.bytes))

  private def dripped(c: Case): Option[String] =
    if (!c.splits) None else once(c, "byte by byte", glued = false)(_.drip(c.bytes))

  private def glued(c: Case): Option[String] =
    if (!c.glue) None
    else once(c, "with the next request behind", glued = true)(_.send(c.bytes ++ Wire.latin1(Message.next)))

  private def once(c: Case, how: String, glued: Boolean)(send: Wire => Boolean): Option[String] = {
    val wire = program.connect()
    try {
      send(wire) // a refusal can come, and the connection end, before all is sent
      Judge(c, wire, glued).map(fault => s"$how: $fault")
    } finally wire.close()
  }

  /** One connection for each cut: the parts before go out on all, then, after one pause, the parts behind. */
  private def split(cuts: Seq[(Case, Int)]): Iterator[String] =
    cuts.grouped(Delivery.AtOnce).flatMap { group =>
      val wires = group.map { case (c, position) => (c, position, program.connect()) }
      try {
        wires.foreach { case (c, position, wire) => wire.send(c.bytes, 0, position) }
        Pause(Delivery.BetweenParts)
        wires.foreach { case (c, position, wire) => wire.send(c.bytes, position, c.bytes.length - position) }
        val faults = for {
          (c, position, wire) <- wires.iterator
          fault               <- Judge(c, wire, glued = false)
        } yield s"${c.name} split at $position: $fault"
        faults.nextOption() // each may have waited for its timeout
      } finally wires.foreach(_._3.close())
    }
}

object Delivery {

  /**
   * Connections open at once: few over TLS, since on a busy machine the first would be idle for too long while many
   * others make their handshakes.
   */
  private val AtOnce = if (Program.overTls) 4 else 128

  /** How long a program has to read the first part. */
  private val BetweenParts = 3.millis

  /** Every byte of a short message; of a long one those near both ends and some between. */
  private def positions(length: Int): Seq[Int] =
    if (length <= 400) 1 until length
    else {
      val between = 121 until length - 40 by math.max(1, length / 60)
      ((1 to 120) ++ between ++ (length - 40 until length)).distinct
    }
}

/** Reads what comes back on a connection and compares. */
object Judge {

  /** What was wrong, or None. Where the connection stays open, a further request is answered on it. */
  def apply(c: Case, wire: Wire, glued: Boolean): Option[String] = {
    val reader  = new ReplyReader(wire, c.millis)
    var replies = Vector.empty[Reply]
    var fault   = Option.empty[String]
    var closed  = false
    while (!closed && fault.isEmpty && replies.size < c.replies) {
      val ask = c.ask(replies.size)
      reader.next(ask) match {
        case Seen.Answer(reply) =>
          replies :+= reply
          fault = ReplyRules.violations(reply, ask).headOption.map(rule => s"$rule; $reply")
          closed = reply.closes(ask)
        case Seen.Ended | Seen.Reset if mayEndAfter(c, replies.size) => closed = true
        case other                                                   => fault = Some(without(replies, other))
      }
    }
    fault.orElse {
      if (closed) nothingMore(reader, replies)
      else answersNext(reader, wire, replies, glued)
    }.orElse {
      if (c.outcomes.exists(matches(_, replies, closed))) None
      else {
        val got = if (replies.isEmpty) "no reply" else replies.mkString(", ")
        Some(s"got $got, ${if (closed) "closed" else "open"}; wanted ${c.outcomes.mkString("; or ")}")
      }
    }
  }

  private def mayEndAfter(c: Case, count: Int): Boolean =
    c.outcomes.exists(outcome => outcome.wants.size == count && outcome.after == After.Closed)

  private def matches(outcome: Outcome, replies: Seq[Reply], closed: Boolean): Boolean =
    outcome.wants.size == replies.size &&
      outcome.wants.zip(replies).forall { case (want, reply) => want.matches(reply) } &&
      (outcome.after match {
        case After.Open   => !closed
        case After.Closed => closed
        case After.AsSaid => true
      })

  private def nothingMore(reader: ReplyReader, replies: Seq[Reply]): Option[String] =
    reader.next(Ask.get) match {
      case Seen.Ended | Seen.Reset => None
      case Seen.Answer(reply)      =>
        Some(s"another reply after the last: $reply (after ${replies.mkString(", ")})")
      case Seen.Silent(_) =>
        Some(s"the connection was to end, but stays open after ${replies.mkString(", ")}")
      case Seen.Nonsense(why) => Some(s"bytes after the last reply: $why (after ${replies.mkString(", ")})")
    }

  private def answersNext(
      reader: ReplyReader,
      wire: Wire,
      replies: Seq[Reply],
      glued: Boolean
  ): Option[String] = {
    if (!glued) wire.send(Message.next)
    reader.next(Ask.get) match {
      case Seen.Answer(reply) if reply.status == 200 && reply.text == Outcome.Json => None
      case Seen.Answer(reply) => Some(s"the next request got $reply (after ${replies.mkString(", ")})")
      case other              => Some(s"the next request: ${without(replies, other)}")
    }
  }

  private def without(replies: Seq[Reply], seen: Seen): String = {
    val what = seen match {
      case Seen.Ended         => "closed without a word"
      case Seen.Reset         => "reset: a reply may be lost"
      case Seen.Silent(read)  => s"no reply in time ($read)"
      case Seen.Nonsense(why) => why
      case Seen.Answer(reply) => reply.toString
    }
    if (replies.isEmpty) what else s"$what (after ${replies.mkString(", ")})"
  }
}
