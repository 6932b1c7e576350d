package needletail.json

import needletail.async.Async
import needletail.http.Response
import needletail.http.message.{MediaType, Status}
import needletail.routing.BodyReader

/** Bodies and responses of type application/json. */
private[json] object JsonBody {

  def reader[A](read: Array[Byte] => Either[JsonError, A]): BodyReader[A] =
    BodyReader.of[A]("JSON", accepts(_), List(MediaType.Json)) { request =>
      val coded = request.codingRefusal
      if (coded != null) Async.fail(coded)
      else
        request.body.bytes.flatMap { bytes =>
          read(bytes) match {
            case Right(value) => Async.value(value)
            case Left(error)  => Async.fail(new JsonRefused(error))
          }
        }
    }

  def accepts(mediaType: String): Boolean = mediaType == MediaType.Json || mediaType.endsWith("+json")

  def respond(status: Status, json: Array[Byte]): Response =
    Response(status).contentType(MediaType.Json).bytes(json)
}
