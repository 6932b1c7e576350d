package needletail.examples.memcached

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration._

import needletail.actor.{ActorRef, Recipient}
import needletail.async.{Async, Survivable}
import needletail.io.{Address, EventLoops}
import needletail.server.{Answer, Server, ServerConfig}

/**
 * A cache with memcached's text protocol. Its items are in actors, the shards: each has the keys of one hash
 * value, and lives on an event loop of its own.
 *
 * @param shards actors that have the items
 * @param memory bytes of all items; beyond, those that were not used for longest are evicted
 * @param maxItem bytes of one value
 */
final class MemcachedServer(config: ServerConfig, shards: Int, memory: Long, maxItem: Int = 1024 * 1024) {
  import MemcachedServer._

  require(shards > 0, s"shards is $shards, but must be above 0")
  require(
    memory / shards >= maxItem + 1024,
    s"memory is $memory, but must be at least ${shards * (maxItem + 1024L)}: room for an item of $maxItem bytes in each of $shards shards"
  )

  private val loops = new EventLoops(shards, "memcached-shard", daemon = true)
  private val all   = Vector.tabulate(shards)(i => Shard.spawn(loops(i), i, memory / shards, maxItem))

  private val server =
    try Server.withCodec(new MemcachedCodec(maxItem), config)(_ => answer).start()
    catch {
      case e: Throwable =>
        loops.stop()
        throw e
    }

  def address: Address = server.address
  def port: Int        = server.port

  /** Completes when the server has stopped, and the shards with it. */
  val stopped: Future[Unit] = server.stopped.transform { how =>
    loops.stop()
    how
  }(ExecutionContext.parasitic)

  def drain(): Future[Unit] = { server.drain(); stopped }
  def close(): Future[Unit] = { server.close(); stopped }

  private def answer(command: Command): Async[Answer[Reply]] = {
    val replies: Async[Seq[Reply]] = command match {
      case Command.Get(keys, cas)    => find(keys, cas)
      case store: Command.Store      => of(store.key, store)
      case large: Command.TooLarge   => of(large.key, large)
      case Command.Delete(key, _)    => of(key, command)
      case Command.Add(key, _, _, _) => of(key, command)
      case Command.Touch(key, _, _)  => of(key, command)
      case flush: Command.FlushAll   =>
        Async.all(all.map(ask[Reply](_)(Question.Do(flush, _)))).map(_ => Seq(Reply.Ok))
      case Command.Version      => line("VERSION 1.6.0-needletail") // tools such as memcstat read the number
      case Command.Verbosity(_) => line("OK")
      case Command.Stats        => statistics
      case Command.Skipped      => Async.value(Nil)
      case Command.Wrong(text, _) => line(text)
      case Command.Quit           => Async.value(Nil)
    }
    replies.recover { case Survivable(_) => Seq(Reply.Busy) }.map { messages =>
      Answer(if (command.isQuiet) Nil else messages, close = command == Command.Quit)
    }
  }

  private def line(text: String): Async[Seq[Reply]] = Async.value(Seq(Reply.Line(text)))

  /** The reply of the shard that has the key. */
  private def of(key: String, command: Command): Async[Seq[Reply]] =
    ask[Reply](shardOf(key))(Question.Do(command, _)).map(Seq(_))

  private def ask[R](shard: ActorRef[Question])(question: Recipient[R] => Question): Async[R] =
    shard.ask[R](Patience)(question)

  private def shardOf(key: String): ActorRef[Question] = all(index(key))

  private def index(key: String) = if (shards == 1) 0
  else {
    val hash = key.hashCode * 0x9e3779b1 // its low bits alone are poor
    Math.floorMod(hash ^ (hash >>> 16), shards)
  }

  private def find(keys: Vector[String], cas: Boolean): Async[Seq[Reply]] = {
    val questions = keys.distinct.groupBy(index).toVector.map { case (i, some) =>
      ask[Map[String, Item]](all(i))(Question.Find(some, _))
    }
    Async.all(questions).map { found =>
      val items  = found.foldLeft(Map.empty[String, Item])(_ ++ _)
      val values = keys.iterator.flatMap(key => items.get(key).map(Reply.Value(key, _, cas))).toVector
      // the same key may have been named a thousand times
      if (values.iterator.map(_.item.value.length.toLong).sum > MaxReply) Seq(Reply.TooMuch)
      else values :+ Reply.End
    }
  }

  private def statistics: Async[Seq[Reply]] =
    Async.all(all.map(ask[ShardStatistics](_)(Question.Count(_)))).map { some =>
      Seq(
        "threads"        -> shards.toLong,
        "curr_items"     -> some.map(_.items).sum,
        "bytes"          -> some.map(_.bytes).sum,
        "evictions"      -> some.map(_.evictions).sum,
        "limit_maxbytes" -> memory
      ).map { case (name, value) => Reply.Line(s"STAT $name $value") } :+ Reply.End
    }
}

object MemcachedServer {

  /** How long a shard may take. */
  private final val Patience = 5.seconds

  /** Bytes of the values that one `get` answers with. */
  private final val MaxReply = 16L * 1024 * 1024
}
