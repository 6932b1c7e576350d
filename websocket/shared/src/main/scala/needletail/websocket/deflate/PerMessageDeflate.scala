package needletail.websocket.deflate

import needletail.async.Setting
import needletail.websocket.frame.Compression

/**
 * Compression by permessage-deflate (RFC 7692), for `WebSocketConfig.compression`.
 *
 * Without context takeover every message is compressed by itself, with buffers that all connections of a loop share:
 * an idle connection holds none. With it messages that resemble earlier ones become smaller, and each connection
 * that compresses holds 264 KiB, each that decompresses 72 KiB, counted as memory held for peers: without room what is
 * sent is not compressed, and what is received is refused with 1013.
 *
 * @param level 1, the fastest, to 9, the smallest
 * @param minSize bytes of the shortest message that is compressed
 * @param contextTakeover whether to use what earlier messages had in common, if the peer agrees
 * @param maxWindowBits 8 to 15: the window of what this side compresses, and which it asks the peer for
 * @throws java.lang.IllegalArgumentException for a value out of range, naming it
 */
final case class PerMessageDeflate(
    level: Int = 1,
    minSize: Int = 64,
    contextTakeover: Boolean = false,
    maxWindowBits: Int = 15
) extends Compression {
  import PerMessageDeflate._

  private def check(): Unit = {
    val is = Setting("PerMessageDeflate")
    is.between("level", level, 1, 9)
    is.notNegative("minSize", minSize)
    is.between("maxWindowBits", maxWindowBits, 8, 15)
  }
  check()

  private[needletail] def offer: String =
    Name + (if (contextTakeover) "" else s"; $ServerTakeover; $ClientTakeover") +
      (if (maxWindowBits < 15) s"; $ServerBits=$maxWindowBits" else "") + s"; $ClientBits"

  /** The last offers and their results: clients of one kind all send the same. */
  @volatile private var last: Asked = null

  private[needletail] def accept(offers: String): Compression.Agreement = {
    val known = last
    if (known != null && known.offers == offers) known.agreement
    else {
      val agreement =
        offers.split(',').iterator.map(ask => answer(Parameters.parse(ask))).find(_ != null).orNull
      last = new Asked(offers, agreement)
      agreement
    }
  }

  private def answer(asked: Parameters): Compression.Agreement =
    if (asked == null || !asked.isValid(isAnswer = false)) null
    else {
      val ours       = contextTakeover && !asked.has(ServerTakeover)
      val theirs     = contextTakeover && !asked.has(ClientTakeover)
      val serverBits = Math.min(maxWindowBits, asked.bits(ServerBits))
      val clientBits = Math.min(maxWindowBits, asked.bits(ClientBits))
      val text       = Name + (if (ours) "" else s"; $ServerTakeover") + (if (theirs) ""
                                                                    else s"; $ClientTakeover") +
        (if (serverBits < 15) s"; $ServerBits=$serverBits" else "") +
        (if (clientBits < 15 && asked.has(ClientBits)) s"; $ClientBits=$clientBits" else "")
      new Compression.Agreement(text, () => new DeflateCodec(level, minSize, ours, theirs, serverBits))
    }

  private[needletail] def agreed(answer: String): Compression.Agreement = {
    val got = if (answer.indexOf(',') >= 0) null else Parameters.parse(answer)
    if (got == null || !got.isValid(isAnswer = true) || !contextTakeover && !got.has(ServerTakeover)) null
    else {
      val ours = contextTakeover && !got.has(ClientTakeover)
      new Compression.Agreement(
        answer,
        () =>
          new DeflateCodec(
            level,
            minSize,
            ours,
            !got.has(ServerTakeover),
            Math.min(maxWindowBits, got.bits(ClientBits))
          )
      )
    }
  }
}

object PerMessageDeflate {

  private final class Asked(val offers: String, val agreement: Compression.Agreement)

  private final val Name           = "permessage-deflate"
  private final val ServerTakeover = "server_no_context_takeover"
  private final val ClientTakeover = "client_no_context_takeover"
  private final val ServerBits     = "server_max_window_bits"
  private final val ClientBits     = "client_max_window_bits"

  /** The parameters of an offer or an answer (RFC 7692 §7.1); None is a parameter without a value. */
  private final class Parameters(values: List[(String, Option[String])]) {
    def has(name: String): Boolean = values.exists(_._1 == name)

    /** The bits in that parameter, 15 if it has none. */
    def bits(name: String): Int =
      values.collectFirst { case (`name`, Some(value)) => value.toInt }.getOrElse(15)

    /** Whether all of them are known and as they have to be, and none is there twice. */
    def isValid(isAnswer: Boolean): Boolean =
      values.map(_._1).distinct.size == values.size && values.forall {
        case (ServerTakeover | ClientTakeover, value) => value.isEmpty
        case (ServerBits, Some(value))                => areBits(value)
        case (ClientBits, Some(value))                => areBits(value)
        case (ClientBits, None)                       => !isAnswer
        case _                                        => false
      }

    private def areBits(value: String): Boolean =
      Set("8", "9", "10", "11", "12", "13", "14", "15").contains(value)
  }

  private object Parameters {

    /** Null if it is another extension. */
    def parse(text: String): Parameters = text.split(';').map(_.trim).toList match {
      case Name :: parameters =>
        new Parameters(parameters.map { parameter =>
          parameter.indexOf('=') match {
            case -1 => parameter               -> None
            case at => parameter.take(at).trim -> Some(unquoted(parameter.drop(at + 1).trim))
          }
        })
      case _ => null
    }

    private def unquoted(value: String): String =
      if (value.length >= 2 && value.head == '"' && value.last == '"') value.substring(1, value.length - 1)
      else value
  }
}
