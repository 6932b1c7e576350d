package needletail.simulation.service

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.ByteStream
import needletail.simulation.world.World
import needletail.stream.Stream

/**
 * Chains of operators whose functions throw at times, and otherwise change nothing. Whatever is thrown, the source of a
 * chain is read to its end or cancelled, and its `onEnd` runs once.
 */
final class StreamCode(world: World, code: UserCode) {
  private val random = world.random
  private var begun  = 0
  private var ended  = 0

  code.atEnd {
    if (!code.hasBeenFatal && begun != ended) world.found(s"of $begun streams $ended have run their onEnd")
  }

  /** A source of that content, by one of the functions that make streams. */
  def source(content: Array[Byte]): Stream[Array[Byte]] = random.below(5) match {
    case 0 => Stream.defer { code.at("a deferred stream"); Async.value(code.stream(content)) }
    case 1 =>
      Stream.defer {
        code.at("a deferred stream")
        Async.sleep(pause()).map { _ => code.at("the making of a stream"); code.stream(content) }
      }
    case 2 =>
      val pieces = content.grouped(1 + random.below(5000))
      Stream.fromIterator(new Iterator[Array[Byte]] {
        def hasNext: Boolean    = { code.at("an iterator"); pieces.hasNext }
        def next(): Array[Byte] = { code.at("an element of an iterator"); pieces.next() }
      })
    case 3 =>
      Stream.unfold(0) { from =>
        code.at("an unfold")
        val until  = math.min(content.length, from + 1 + random.below(5000))
        val result = if (from == content.length) None else Some((content.slice(from, until), until))
        if (random.percent(60)) Async.value(result)
        else Async.sleep(pause()).map { _ => code.at("a later unfold"); result }
      }
    case _ => code.stream(content)
  }

  /** The same bytes, through some operators. */
  def through(source: Stream[Array[Byte]]): ByteStream = {
    var stream = source
    for (_ <- 1 to random.between(1, 4)) stream = through(random.below(16), stream)
    begun += 1
    var isOver = false
    stream.onEnd {
      if (isOver) world.found("the onEnd of a stream ran again")
      isOver = true
      ended += 1
      code.at("the onEnd of a stream")
    }
  }

  private def through(operator: Int, stream: Stream[Array[Byte]]): Stream[Array[Byte]] = operator match {
    case 0 => stream.map { piece => code.at("a map"); piece }
    case 1 => stream.filter { _ => code.at("a filter of a stream"); true }
    case 2 => stream.collect { case piece if is("a collect") => piece }
    case 3 =>
      stream.flatMap { piece =>
        code.at("a flatMap")
        val (a, b) = piece.splitAt(random.below(piece.length + 1))
        Stream(a, b).map { part => code.at("a stream in a flatMap"); part }
      }
    case 4 =>
      stream.mapAsync(random.between(1, 3)) { piece =>
        code.at("a mapAsync")
        if (random.percent(50)) Async.value(piece)
        else Async.sleep(pause()).map { _ => code.at("a later mapAsync"); piece }
      }
    case 5  => stream.takeWhile { _ => code.at("a takeWhile"); true }
    case 6  => stream.dropWhile { _ => code.at("a dropWhile"); false }
    case 7  => stream.scan(Array.emptyByteArray) { (_, piece) => code.at("a scan"); piece }
    case 8  => stream.chunks(random.between(1, 3)).map { pieces => code.at("a map"); Array.concat(pieces*) }
    case 9  => stream.recover { case _ if !is("the guard of a recover") => Array.emptyByteArray }
    case 10 => stream.recoverWith { case e => code.at("a recoverWith"); Stream.fail(e) }
    case 11 => stream.onEnd(code.at("an onEnd"))
    case 12 =>
      val numbers = Stream.unfold(0) { i => code.at("an unfold"); Async.value(Some((i, i + 1))) }
      stream.zip(numbers).map { case (piece, _) => code.at("a map"); piece }
    case 13 => stream.merge(nothing)
    case 14 => stream ++ nothing
    case _  => nothing ++ stream
  }

  /** True, unless it throws. */
  private def is(place: String): Boolean = { code.at(place); true }

  private def nothing: Stream[Array[Byte]] = Stream.defer {
    code.at("a deferred stream")
    if (random.percent(50)) Async.value(Stream.empty) else Async.sleep(pause()).map(_ => Stream.empty)
  }

  /** All bytes of it. */
  def all(stream: Stream[Array[Byte]]): Async[Array[Byte]] = random.below(3) match {
    case 0 =>
      stream.fold(Vector.empty[Array[Byte]]) { (before, piece) => code.at("a fold"); before :+ piece }
        .map(pieces => Array.concat(pieces*))
    case 1 =>
      val pieces = Vector.newBuilder[Array[Byte]]
      stream.foreach { piece => code.at("a foreach"); pieces += piece }
        .map { _ => code.at("the end of a foreach"); Array.concat(pieces.result()*) }
    case _ => stream.toList(1 << 20).map(pieces => Array.concat(pieces*))
  }

  private def pause(): FiniteDuration = random.longBetween(0, random.pick(StreamCode.Pauses)).nanos
}

private object StreamCode {
  private val Pauses = Seq(1000L, 3000000L, 500000000L)
}
