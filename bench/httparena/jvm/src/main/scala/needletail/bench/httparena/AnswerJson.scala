package needletail.bench.httparena

import com.github.plokhotnyuk.jsoniter_scala.core.JsonValueCodec
import com.github.plokhotnyuk.jsoniter_scala.macros.{CodecMakerConfig, JsonCodecMaker}

import needletail.jsoniter.jsonContent
import needletail.routing.Content

/** Written by a codec of jsoniter-scala. */
private[httparena] object AnswerJson {
  private implicit val codec: JsonValueCodec[Answer] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false))

  val content: Content[Answer] = jsonContent
}
