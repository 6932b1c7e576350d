package needletail.examples.memcached

import scala.concurrent.duration._

import needletail.actor.{Actor, ActorRef, ActorSettings, Context, Recipient, Scheduled}
import needletail.async.Loop

/** The messages of a shard. */
private[memcached] sealed abstract class Question

private[memcached] object Question {

  /** The items of some keys, those that are there. */
  final case class Find(keys: Vector[String], to: Recipient[Map[String, Item]]) extends Question

  /** A command of one key, or of all items. */
  final case class Do(command: Command, to: Recipient[Reply]) extends Question
  final case class Count(to: Recipient[ShardStatistics])      extends Question

  /** The delay of a flush is over. */
  case object Flush extends Question
}

private[memcached] final case class ShardStatistics(items: Long, bytes: Long, evictions: Long)

/** An actor that has the items of some of the keys. */
private[memcached] object Shard {

  def spawn(loop: Loop, number: Int, maxBytes: Long, maxItem: Int): ActorRef[Question] =
    Actor.spawn[Question](loop, ActorSettings(name = s"shard $number")) { context =>
      new Shard(context, new Items(maxBytes, maxItem, () => System.currentTimeMillis()))
    }
}

private final class Shard(context: Context[Question], items: Items) extends Actor[Question] {
  private var flush: Scheduled = null // the one that is still to come

  def receive(question: Question): Unit = question match {
    case Question.Find(keys, to)  => to ! keys.iterator.flatMap(key => items.get(key).map(key -> _)).toMap
    case Question.Do(command, to) => to ! perform(command)
    case Question.Count(to)       => to ! ShardStatistics(items.count.toLong, items.bytes, items.evicted)
    case Question.Flush           => items.clear()
  }

  private def perform(command: Command): Reply = command match {
    case store: Command.Store          => items.store(store)
    case Command.Delete(key, _)        => if (items.delete(key)) Reply.Deleted else Reply.NotFound
    case add: Command.Add              => items.add(add)
    case touch: Command.Touch          => items.touch(touch)
    case Command.TooLarge(how, key, _) =>
      // the item was replaced since the client read it
      if (how == Command.Set) { val _ = items.delete(key) }
      Reply.TooLarge
    case Command.FlushAll(delay, _) =>
      if (flush != null) flush.cancel()
      if (delay == 0) items.clear()
      else flush = context.schedule(math.min(delay, 365L * 24 * 60 * 60).seconds)(Question.Flush)
      Reply.Ok
    case _ => Reply.Line("ERROR")
  }
}
