package needletail.content.compression

import needletail.async.Setting
import needletail.content.conditional.EntityTag
import needletail.http.{ByteStream, Handler, MediaType, Method, Request, Response, Status}
import needletail.routing.Routes

/**
 * When and how responses are compressed.
 *
 * @param codings the offered codings, the preferred one first: `gzip`, `deflate`, and `br` and `zstd`, which need a library:
 *                on the JVM brotli4j and zstd-jni on the class path, natively libbrotlienc.so.1 and libzstd.so.1. Without
 *                it, this throws IllegalArgumentException
 * @param level 1 (fast) to 9 (small)
 * @param least contents of fewer bytes are not compressed; a stream of unknown length is compressed in any case
 * @param maxStreams streams, and contents of more than 64 KB, that are compressed at the same time, in the whole program:
 *   each holds memory, with gzip and deflate some 256 KB. Further ones are sent uncompressed
 * @param types which media types are compressed, in lower case and without parameters
 * @param when which responses are compressed: `CompressionConfig.nonSecret` leaves out those that may contain a secret, as
 *   the length of a compressed one tells something about it (BREACH). It decides about responses with content only
 */
final case class CompressionConfig(
    codings: List[String] = List("gzip", "deflate"),
    level: Int = 5,
    least: Int = 1024,
    maxStreams: Int = 256,
    types: String => Boolean = CompressionConfig.isCompressible,
    when: (Request, Response) => Boolean = CompressionConfig.always
) {
  private def check(): Unit = {
    val is = Setting("CompressionConfig")
    is.between("level", level, 1, 9)
    is.notNegative("least", least)
    is.notNegative("maxStreams", maxStreams)
    codings.foreach { coding =>
      is.check("codings", coding, Encoders.all.contains(coding), Encoders.all.mkString("one of ", ", ", ""))
      val problem = Encoders.problem(coding)
      if (problem != null) throw new IllegalArgumentException(s"CompressionConfig: $problem")
    }
  }
  check()
}

object CompressionConfig {

  /** Streams and long contents that are being compressed now, in the whole program. */
  def streams: Int = Encoders.inStreams

  /** All responses. */
  val always: (Request, Response) => Boolean = (_, _) => true

  /**
   * Responses that are for everybody: to requests without Cookie, Authorization and client certificate, and themselves
   * without Set-Cookie and without `private` or `no-store` in Cache-Control.
   */
  val nonSecret: (Request, Response) => Boolean = (request, response) =>
    request.header("cookie").isEmpty && request.header("authorization").isEmpty &&
      request.connection.peer.isEmpty && !response.headers.contains("Set-Cookie") &&
      !response.headers.list("Cache-Control").exists(isPersonal)

  /** Whether that directive is for responses to one user; `private` may name fields. */
  private def isPersonal(directive: String): Boolean = {
    val equals = directive.indexOf('=')
    val name   = (if (equals < 0) directive else directive.substring(0, equals)).trim
    name.equalsIgnoreCase("private") || name.equalsIgnoreCase("no-store")
  }

  /** Texts, JSON, XML, JavaScript, SVG, WebAssembly and fonts that are not compressed themselves; not event streams. */
  val isCompressible: String => Boolean = mediaType =>
    (mediaType.startsWith("text/") && mediaType != "text/event-stream") || mediaType.endsWith("+json") ||
      mediaType.endsWith("+xml") || others.contains(mediaType)

  private val others = Set(
    "application/json",
    "application/javascript",
    "application/xml",
    "application/yaml",
    "application/toml",
    "application/wasm",
    "application/x-ndjson",
    "application/x-www-form-urlencoded",
    "application/vnd.ms-fontobject",
    "font/ttf",
    "font/otf",
    "image/bmp",
    "image/vnd.microsoft.icon"
  )
}

/** Compresses responses for clients that accept it (RFC 9110 §8.4, §12.5.3). */
private[content] final class Compression(config: CompressionConfig) {
  import Compression._

  def apply(routes: Routes): Routes    = routes.mapResponse(compressed)
  def apply(handler: Handler): Handler = handler.mapResponse(compressed)

  /** The response to send for `response`. */
  def compressed(request: Request, response: Response): Response =
    // a part has the Vary of the whole (RFC 9110 §15.3.7), whose type and fields it may not tell
    if (response.status == Status.PartialContent) withVary(response)
    else if (!mayBe(response)) response
    else {
      val varied = withVary(response)
      if (response.status == Status.NotModified) {
        val isPlain = AcceptEncoding.choose(request, config.codings).isEmpty
        varied.headers.get("ETag").filterNot(tag => isPlain || isKnownAsStrong(request, tag))
          .fold(varied)(weakened(varied, _))
      } else
        AcceptEncoding.choose(request, config.codings) match {
          case Some(coding)
              if length(response) >= config.least && config.when(request, response) && mayStart(response) =>
            val tagged = varied.headers.get("ETag").fold(varied)(weakened(varied, _))
            coded(
              request,
              ofOtherBytes.foldLeft(tagged.setHeader("Content-Encoding", coding))(_.withoutHeader(_)),
              coding
            )
          case _ => varied
        }
    }

  /** Whether there is content to compress, of a type that is compressed. */
  private def mayBe(response: Response): Boolean = {
    val headers = response.headers
    val status  = response.status
    (status == Status.NotModified) || (
      status.allowsBody && status != Status.PartialContent &&
        headers.get("Content-Type").exists(value => config.types(MediaType.essence(value))) &&
        !headers.contains("Content-Encoding") && !headers.contains("Content-Range") &&
        !headers.list("Cache-Control").exists(_.equalsIgnoreCase("no-transform"))
    )
  }

  /** Whether there is memory for it; if it is gone when the stream begins, that is sent in uncompressed blocks. */
  private def mayStart(response: Response): Boolean =
    (response.content != null && response.content.length <= AtOnce) || Encoders.hasRoom(config.maxStreams)

  private def length(response: Response): Long =
    if (response.content != null) response.content.length.toLong
    else if (response.sourceLength >= 0) response.sourceLength
    else Long.MaxValue

  private def coded(request: Request, response: Response, coding: String): Response =
    if (response.content != null && response.content.length <= AtOnce)
      response.bytes(Compressing.whole(
        response.content,
        coding,
        config.level
      )) // for HEAD too, to have its length
    else if (request.method == Method.HEAD)
      response.stream(response.body.stream) // of unknown length, as that for GET
    else {
      val source =
        if (response.content != null) ByteStream.inParts(response.content, AtOnce / 2) else response.source
      response.stream(new Compressing(source, coding, config.level, config.maxStreams))
    }
}

private[content] object Compression {

  /** Longer contents are compressed in pieces, with other connections in between. */
  final val AtOnce = 64 * 1024

  /** What a handler says about the bytes that are not sent (RFC 9110 §14.3, RFC 9530). */
  private val ofOtherBytes = List("Accept-Ranges", "Content-Digest", "Repr-Digest", "Content-MD5")

  /** A compressed response is another representation, so a strong tag does not apply. */
  private def weakened(response: Response, tag: String): Response =
    if (tag.startsWith("W/")) response else response.setHeader("ETag", "W/" + tag)

  /**
   * Whether the client named that tag in If-None-Match, and not as a weak one: then it has the bytes that are not
   * compressed, and a 304 has their tag (RFC 9110 §15.4.5).
   */
  private def isKnownAsStrong(request: Request, tag: String): Boolean =
    EntityTag.parse(tag).exists(own =>
      EntityTag.parseList(request.headers.getAll("If-None-Match").mkString(", ")).exists(named =>
        named.contains(own) && !named.contains(own.weak)
      )
    )

  private def withVary(response: Response): Response = {
    val named = response.headers.list("Vary")
    if (named.exists(name => name == "*" || name.equalsIgnoreCase("accept-encoding"))) response
    else response.header("Vary", "Accept-Encoding")
  }
}
