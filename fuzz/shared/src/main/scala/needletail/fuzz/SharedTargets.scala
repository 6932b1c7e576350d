package needletail.fuzz

import needletail.client.tunnel.ConnectAnswerFuzz
import needletail.client.{AnswersFuzz, SetCookieFuzz, UrlFuzz}
import needletail.content.RequestFieldsFuzz
import needletail.content.compression.ContentCodingFuzz
import needletail.content.events.EventsFuzz
import needletail.content.file.ByteRangesFuzz
import needletail.content.multipart.MultipartFuzz
import needletail.gateway.{CgiRequestFuzz, CgiResponseFuzz, FastCgiFuzz, ScgiFuzz}
import needletail.http.{ChunksFuzz, CookieFuzz, FieldValueFuzz, RequestHeadFuzz, ResponseHeadFuzz}
import needletail.io.proxyprotocol.ProxyHeaderFuzz
import needletail.json.JsonFuzz
import needletail.routing.FormFuzz
import needletail.websocket.FramesFuzz

/** The parsers that run on both platforms. */
object SharedTargets {
  val all: List[FuzzTarget] = List(
    RequestHeadFuzz,
    ResponseHeadFuzz,
    ChunksFuzz,
    FieldValueFuzz,
    CookieFuzz,
    FormFuzz,
    JsonFuzz,
    UrlFuzz,
    SetCookieFuzz,
    AnswersFuzz,
    ConnectAnswerFuzz,
    FastCgiFuzz,
    ScgiFuzz,
    CgiRequestFuzz,
    CgiResponseFuzz,
    FramesFuzz,
    ProxyHeaderFuzz,
    ContentCodingFuzz,
    MultipartFuzz,
    EventsFuzz,
    ByteRangesFuzz,
    RequestFieldsFuzz
  )
}
