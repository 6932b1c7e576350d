package needletail.server.tcp

import needletail.async.{Async, Result, ResultListener, Survivable}
import needletail.io.Connection
import needletail.io.platform.Fallible
import needletail.server.connection.WatchedConnection
import needletail.server.operations.{Log, LoopCounts, RareWarning}
import needletail.tcp.{Codec, Decoded, MessageReader}

/**
 * One connection of a [[Codec]]: messages are answered one after another, in order. While an answer is awaited, or the
 * peer does not read its answers, only a bounded number of bytes is read.
 */
private[server] final class CodecConnection[I, O](
    connection: Connection,
    codec: Codec[I, O],
    settings: CodecSettings,
    peer: CodecPeer[O],
    answerTo: I => Async[Answer[O]],
    idle: () => Long,
    counts: LoopCounts
) extends WatchedConnection(connection, settings.writeNanos, counts)
    with Runnable
    with Fallible {

  /** Waits for an answer. Withdrawing does not cancel it if the handler shares it with others. */
  private final class Waiting extends ResultListener[Answer[O]] {
    def completed(result: Result[Answer[O]]): Unit = {
      arrived = result
      if (connection.isOpen) connection.loop.endOfTurn(CodecConnection.this)
    }
  }

  private val reader =
    new MessageReader(codec.decoder(), settings.maxMessage, connection.loop.memory)
  private val waiting                    = new Waiting
  private var pending                    = false // an answer is awaited, or has arrived but is not sent
  private var arrived: Result[Answer[O]] = null
  private var answerBy  = Long.MaxValue // when the awaited answer must have arrived
  private var giveUpAt  = Long.MaxValue // when to stop waiting, once the peer has ended its side
  private var draining  = false
  private var peerEnded = false         // what it sent before is still answered, until `giveUpAt`
  private var over      = false
  private var drops     = false         // what comes behind the awaited answer, as memory is short
  private var idleSince = connection.loop.nowNanos

  // a message that has begun and is not complete: since when, and when some of it arrived last
  private var isPartial    = false
  private var partialSince = 0L
  private var partialAt    = 0L
  peer.belongsTo(this)
  settle()

  def onData(bytes: Array[Byte], from: Int, until: Int): Int =
    if (drops) until else receive(bytes, from, until)

  private def receive(bytes: Array[Byte], from: Int, until: Int): Int = {
    var go     = true
    var isNext = !isPartial // whether what is left at the end is of a later message than before
    reader.begin(bytes, from, until)
    while (go && !over && !pending && connection.pendingBytes <= settings.maxPendingOutput)
      reader.next() match {
        case Decoded.More                => go = false
        case Decoded.Message(message, _) =>
          isNext = true
          ask(message)
        case Decoded.Bad(reason) =>
          tellOfBad(reason)
          codec.reject(reason).foreach(send)
          finish()
      }
    reader.end()
    val at = reader.used
    if (!over) begun(if (go) 0 else reader.begun, isNext)
    if (!over && until - at > connection.unusedBytes && mustNotKeep(until - at)) finish()
    else if (peerEnded && !pending && (!go || at == until)) finish() // no complete message is left
    active()
    if (over) until else at
  }

  /** So many bytes of an incomplete message have arrived; 0: none is waited for. It has the time limits of a body. */
  private def begun(bytes: Int, isNext: Boolean): Unit = {
    isPartial = bytes > 0
    if (isPartial) {
      partialAt = connection.loop.nowNanos
      if (isNext) partialSince = partialAt
      val nanos = partialAt - partialSince
      if (nanos > settings.bodyGraceNanos && bytes * 1e9 < settings.minBodyRate.toDouble * nanos) tooSlow()
    }
  }

  private def tooSlow(): Unit = if (!over) {
    counts.timeouts += 1
    finish()
  }

  /** When too little of a message will have arrived. While nothing is read, as the peer does not read, it is not late. */
  private def partialDue: Long =
    if (isPartial && !connection.isPaused) partialAt + settings.bodyNanos else Long.MaxValue

  private def ask(message: I): Unit = {
    val answer =
      try answerTo(message)
      catch { case Survivable(e) => Async.fail(e) }
    val result = answer.resultOrNull
    if (result != null) give(result)
    else {
      pending = true
      answerBy = connection.loop.nowNanos + settings.handlerNanos
      waiting.listen(answer)
    }
  }

  /** Runs at the end of a turn in which an awaited answer arrived. */
  def run(): Unit = if (connection.isOpen && arrived != null) {
    val result = arrived
    arrived = null
    pending = false
    give(result)
    if (connection.isOpen)
      if (peerEnded && connection.unusedBytes == 0) finish() // nothing is passed on any more
      else connection.pauseReading() // resuming passes on the input that arrived meanwhile
    active()
  }

  private[needletail] def failed(cause: Throwable): Unit = connection.abort()

  private def give(result: Result[Answer[O]]): Unit =
    if (result.isValue) {
      val answer = result.value
      answer.messages.foreach(send)
      if (answer.close || draining || peer.isToClose) finish()
    } else {
      settings.log.error(s"a handler failed: a message from ${connection.remoteAddress}", result.error)
      finish()
    }

  /** At the end of a turn in which `peer` has sent messages, or has asked for the end. */
  def pushed(): Unit = if (!over) {
    if (peer.isToClose && !pending) finish() // otherwise after the answer
    active()
  }

  private def send(answer: O): Unit = {
    val bytes = codec.encode(answer)
    connection.writeOwned(bytes, 0, bytes.length)
  }

  private def finish(): Unit = if (!over) {
    over = true
    peer.ends()
    reader.release()
    connection.closeGracefully(
      Math.min(settings.lingerNanos, idle()), // shorter while the server is crowded
      Math.min(settings.maxMessage * 16L, Int.MaxValue.toLong).toInt
    ) // pending output is written first
    watchFlushing()
  }

  def onEnd(): Unit =
    if (pending) {
      peerEnded = true
      giveUpAt = connection.loop.nowNanos + settings.halfCloseNanos
      settle()
    } else finish()

  def onDrained(): Unit = active()

  def onDeadline(): Unit = {
    abortIfStuck()
    val now = connection.loop.nowNanos
    if (!pending) {
      if (partialDue <= now) tooSlow()
      else if (connection.pendingBytes == 0 && idleSince + idle() <= now) finish()
    } else if (arrived == null && Math.min(answerBy, giveUpAt) <= now) {
      if (giveUpAt > now) tellOfTimeout()
      waiting.withdraw()
      pending = false
      finish()
    }
    settle()
  }

  private def tellOfBad(reason: String): Unit =
    settings.malformed.warn(settings.log, connection.loop.nowNanos)(
      s"a malformed message from ${connection.remoteAddress}, whose connection is closed: ${RareWarning.shown(String.valueOf(reason))}"
    )

  private def tellOfTimeout(): Unit = {
    counts.timeouts += 1
    settings.log.warn(
      s"a handler has not answered a message from ${connection.remoteAddress} within " +
        s"${settings.handlerNanos / 1000000} ms; its connection is closed"
    )
  }

  def idleTimeoutChanged(nanos: Long): Unit =
    if (!over && !pending && connection.pendingBytes == 0)
      connection.deadline = Math.min(idleSince + nanos, partialDue)

  def drain(): Unit = {
    draining = true
    if (!pending) finish() // otherwise after the answer
  }

  private[needletail] override def heldForPeer: Long =
    if (connection.pendingBytes > 0 || !isAtWork) super.heldForPeer + reader.held
    else connection.unusedBytes.toLong

  private[needletail] override def holdsUnread: Boolean =
    isAtWork && connection.unusedBytes > connection.pendingBytes

  /** Messages behind one whose answer is awaited are dropped: it is answered, and is the last. */
  private[needletail] override def relieve(): Unit =
    if (!holdsUnread) connection.abort()
    else {
      draining = true
      drops = true
      connection.dropUnused()
      settle()
    }

  private def isAtWork: Boolean = pending && !over

  private def mustNotKeep(bytes: Int): Boolean = {
    val already = connection.unusedBytes
    !connection.loop.memory.hasRoom((bytes - already).toLong, already.toLong)
  }

  protected def closed(cause: Throwable): Unit = {
    over = true
    reader.release()
    waiting.withdraw()
    peer.ended()
  }

  /** Bytes were read or written. */
  private def active(): Unit = {
    idleSince = connection.loop.nowNanos
    settle()
  }

  private def settle(): Unit = if (over) watchFlushing()
  else if (connection.isOpen) {
    // nothing can be written before the TLS handshake is complete, which needs reading
    val shakes = connection.isShakingHands
    // reads also while an answer is awaited, to detect the end of the peer's side; input is kept up to a bound
    val wants = shakes || connection.pendingBytes <= settings.maxPendingOutput
    if (wants && connection.isPaused) {
      partialAt = connection.loop.nowNanos
      partialSince = partialAt
      connection.resumeReading()
    } else if (!wants && !connection.isPaused) connection.pauseReading()
    val due =
      if (pending) Math.min(answerBy, giveUpAt)
      else if (connection.pendingBytes > 0) Long.MaxValue
      else Math.min(idleSince + idle(), partialDue)
    connection.deadline =
      Math.min(due, if (shakes) connection.loop.nowNanos + settings.writeNanos else writingDeadline())
  }
}

/** Settings of a [[CodecConnection]], from `ServerConfig`; in bytes and nanoseconds. */
private[server] final case class CodecSettings(
    maxMessage: Int,
    maxPendingOutput: Int,
    writeNanos: Long,
    lingerNanos: Long,
    halfCloseNanos: Long,
    handlerNanos: Long,
    bodyNanos: Long,
    bodyGraceNanos: Long,
    minBodyRate: Int,
    log: Log
) {

  /** The warning of malformed messages: clients decide how many there are. */
  val malformed = new RareWarning(CodecSettings.QuietNanos)
}

private object CodecSettings {
  private final val QuietNanos = 1000L * 1000 * 1000
}
