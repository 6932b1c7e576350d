package needletail.examples.reference

import needletail.http._

object Reference {
  private val plain = Response.ok("Hello, World!").contentType("text/plain")
  val routes: Handler = (request: Request) => request.path match {
    case "/plaintext" => plain
    case "/json" => Response.ok.contentType("application/json").bytes("{\"message\":\"Hello, World!\"}".getBytes)
    case "/echo" => val r = Response.ok.contentType(request.header("content-type").getOrElse("application/octet-stream"))
      if (request.body.length >= 0) r.stream(request.body.stream, request.body.length) else r.stream(request.body.stream)
    case "/big" => val n = request.query.get.stripPrefix("bytes=").toLong
      val piece = new Array[Byte](16384)
      Response.ok.stream(ByteStream.fromIterator(Iterator.iterate(n)(_ - 16384).takeWhile(_ > 0).map(k => if (k >= 16384) piece else new Array[Byte](k.toInt))), n)
    case p if p.startsWith("/status/") => Response(Status(p.drop(8).toInt))
    case _ => Response.notFound.text("not found")
  }
}
