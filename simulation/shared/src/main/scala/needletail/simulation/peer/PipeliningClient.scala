package needletail.simulation.peer

import scala.collection.mutable.ArrayBuffer

import needletail.simulation.reader.{Mark, ReceivedResponse, SentRequest, StrictHttpReader}
import needletail.simulation.service.Service
import needletail.simulation.world.World

/**
 * A client that sends requests behind one whose reply takes long, and one more when all of them are answered. It checks that
 * only such replies have given way to a refusal as waited for an earlier one.
 *
 * @param isFair    whether nothing goes wrong but that memory is short
 * @param isWrapped whether the responses pass through a wrapper of the program
 * @param sends     told of each request before it is sent
 */
final class PipeliningClient(world: World, val number: Int, port: Int, isFair: Boolean, isWrapped: Boolean)(
    sends: PipeliningClient.Asked => Unit
) extends Peer {
  import PipeliningClient._

  private val random = world.random.split()
  private val sent   = new ArrayBuffer[Asked]
  private val reader = new StrictHttpReader(
    i => if (i < sent.size) sent(i).request else null,
    what => world.found(s"client $number: $what")
  )
  private val readsLate = random.percent(25)
  private val caller    = new SimpleClient(world.network.connect(port), reads = !readsLate)(read, ended)

  private var unsent =
    if (random.percent(60)) random.between(5, 25) else random.skewed(40) // of those behind the first one
  private var isAtEnd  = false // the last one has been sent, alone
  private var hasEnded = false
  private var judged   = 0

  /** Requests that were refused for want of memory. */
  var refused = 0

  /** Whether the server has reset the connection. */
  var isReset = false

  def begin(): Unit = if (!caller.isOver) {
    send(random.pick(FirstKinds), most = 30000)
    val now = random.between(0, unsent)
    sendBehind(now)
    if (unsent > 0) world.after(random.longBetween(0, 6000000000L))(sendBehind(unsent))
    if (readsLate) world.after(random.longBetween(0, 2500000000L))(caller.beginToRead())
    if (!isFair && random.percent(40)) world.after(random.longBetween(0, 9000000000L))(close())
  }

  private def sendBehind(count: Int): Unit = if (!isOver) {
    for (_ <- 1 to count) send(random.pick(Kinds), most = 15000)
    unsent -= count
    goOn()
  }

  private def send(kind: String, most: Int): Unit = {
    val method = if (kind == "take") "POST" else if (random.percent(5)) "HEAD" else "GET"
    val own    = new Asked(
      this,
      sent.size,
      method,
      if (random.percent(60)) random.between(1, most) else random.skewed(most)
    )
    sent += own
    sends(own)
    own.request.isSent = true
    val content = if (method == "POST") "content" else ""
    val length  = if (method == "POST") s"Content-Length: ${content.length}\r\n" else ""
    caller.send(
      Service.ascii(s"$method /$kind HTTP/1.1\r\nHost: a\r\nX-Mark: ${own.mark}\r\n$length\r\n$content")
    )
  }

  private def read(bytes: Array[Byte], count: Int): Unit = {
    reader.feed(bytes, count)
    while (judged < math.min(reader.answers.size, sent.size)) {
      judged += 1
      judge(sent(judged - 1), reader.answers(judged - 1))
    }
    goOn()
  }

  private def ended(isReset: Boolean): Unit = {
    world.trace.say(world, s"client $number sees the end${if (isReset) ", a reset" else ""}")
    reader.ended(isReset)
    this.isReset = isReset
    hasEnded = true
  }

  /** When all is answered, one more request is sent. */
  private def goOn(): Unit = if (unsent == 0 && judged == sent.size && !isOver && !reader.hasClosed) {
    if (isAtEnd) close()
    else {
      isAtEnd = true
      send("now", most = 3000)
    }
  }

  private def judge(own: Asked, answer: ReceivedResponse): Unit = {
    def wrong(what: String): Unit = world.found(s"client $number: ${own.mark} $what")
    world.trace.say(
      world,
      s"client $number got ${answer.status} for ${own.mark}${if (answer.closes) ", the last" else ""}"
    )
    val isOfMemory = answer.status == 503 && answer.field("overload-reason").contains("memory")
    if (isOfMemory) {
      refused += 1
      if (answer.field("retry-after").isEmpty) wrong("was refused, and not told when to ask again")
      if (!own.isHandled) { if (!answer.closes) wrong("was not handled, and the connection goes on") }
      else if (!own.hasWaited) wrong("was refused for want of memory, and had not waited")
      else if (own.stream != null && own.stream.cancelled == 0)
        wrong("has given way, and its stream is not cancelled")
    } else if (isFair && answer.status != 200) wrong(s"was answered ${answer.status}")
    if (isFair && isWrapped && own.isHandled && answer.field("x-mapped").isEmpty)
      wrong(s"was answered ${answer.status}, and not by what wraps the routes")
  }

  /** Bytes of streams that wait for an earlier reply. The first of them need not. */
  def waitingBytes: Int =
    sent.iterator.map(own => if (own.stream == null) 0 else own.stream.bytes).filter(_ > 0).drop(1).sum

  /** How many responses it has got. */
  def received: Int = judged

  /** Whether the connection has ended before all was answered. */
  def isCutOff: Boolean = hasEnded && (judged < sent.size || unsent > 0)

  def isOver: Boolean = caller.isOver

  def close(): Unit = caller.close()

  def check(): Unit = {
    if (!isOver)
      world.found(s"client $number: ${sent(judged).mark} was not answered, nor the connection ended")
    // what has been handled is answered, whatever becomes of what was sent behind it
    if (hasEnded && !isReset && !readsLate) sent.drop(judged).find(_.isHandled).foreach(own =>
      world.found(s"client $number: ${own.mark} was handled and not answered")
    )
  }
}

object PipeliningClient {
  private val FirstKinds = Seq("slow", "slow", "slow", "trickle", "trickle", "now", "held", "take")
  private val Kinds      =
    Seq("now", "now", "now", "now", "held", "held", "held", "parts", "parts", "lazy", "slow", "take")

  /** What holds bytes for a reply. */
  trait Holder {

    /** How many, until it is asked for some. */
    def bytes: Int
    def cancelled: Int
  }

  /** A request. */
  final class Asked(of: PipeliningClient, index: Int, method: String, val size: Int) {
    val mark: String         = Mark(of.number, index + 1)
    val content: Array[Byte] = Mark.content(mark, size)
    val request: SentRequest = new SentRequest(mark, method, content, mayContinue = false)
    var isHandled: Boolean   = false
    var stream: Holder       = null

    /** Whether an earlier response had not arrived when this one was there. */
    var hasWaited: Boolean = false

    /** Its response is there, whatever it is. */
    def isAnswered(): Unit = hasWaited = method != "POST" && of.received < index
  }
}
