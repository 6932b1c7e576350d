package needletail.http

import scala.util.Random

import needletail.http.http1.{ChunkedDecoder, HeadLimits}

/** Random bytes result in a request, in "more" or in a refusal, and in the same whole and in pieces. */
class RandomInputSuite extends needletail.testing.Suite {
  private val refusals = Set(400, 414, 417, 421, 431, 501, 505)
  private val limits   = HeadLimits(maxTarget = 60, maxHead = 300, maxHeaders = 6)

  private def check(text: String): Unit = Wire.read(text, limits) match {
    case Outcome.Refused(status) => assert(refusals(status), clue(status))
    case r: Outcome.Read         =>
      assert(r.length <= text.length)
      assert(
        r.path.isEmpty || (r.path.startsWith(
          "/"
        ) && !s"${r.path}/".contains("/../") && !s"${r.path}/".contains("/./")),
        clue(r.path)
      )
      assert(r.contentLength >= 0 != r.chunked)
      assert(!r.fields.exists { case (n, v) => (n + v).exists(c => c == '\r' || c == '\n' || c == 0) })
    case Outcome.More => ()
  }

  private val heads = Vector(
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "\r\nPOST /a/../b%2e?c=%20 HTTP/1.1\r\nHost: a:80\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n",
    "PUT http://u.example:80/x?y HTTP/1.0\r\nHost: [::1]:8\r\nConnection: keep-alive, x\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nX:\t y z \r\nTransfer-Encoding: chunked\r\n\r\n"
  )
  private val pieces = Vector(
    "\r\n",
    "\n",
    "\r",
    " ",
    "\t",
    ":",
    "\u0000",
    "/",
    "..",
    "/./",
    "%",
    "%2e",
    "%00",
    "?",
    "#",
    "*",
    "[",
    "]",
    "@",
    ",",
    ";",
    "\"",
    "\u00ff",
    "\u007f",
    "GET ",
    "HTTP/1.1",
    "HTTP/1.0",
    "http://",
    "Host: b\r\n",
    "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
    "Expect: x\r\n",
    "0",
    "9" * 20,
    "a" * 70,
    "\r\n\r\n"
  )

  test("noise") {
    val random = new Random(20261)
    (1 to 1500).foreach(_ => check(Seq.fill(random.nextInt(60))(random.nextInt(256).toChar).mkString))
  }

  test("fragments in any order") {
    val random = new Random(20262)
    (1 to 1500).foreach(_ =>
      check(Seq.fill(random.nextInt(14))(pieces(random.nextInt(pieces.length))).mkString)
    )
  }

  test("good heads with bytes changed, left out, doubled, fragments put in") {
    val random = new Random(20263)
    (1 to 2500).foreach { _ =>
      var text = heads(random.nextInt(heads.length))
      (0 to random.nextInt(3)).foreach { _ =>
        val at     = random.nextInt(text.length)
        val (a, b) = text.splitAt(at)
        text = random.nextInt(4) match {
          case 0 => a + random.nextInt(256).toChar + b.drop(1)
          case 1 => a + b.drop(1 + random.nextInt(3))
          case 2 => a + b.take(1 + random.nextInt(12)) + b
          case _ => a + pieces(random.nextInt(pieces.length)) + b
        }
        if (text.isEmpty) text = "\r"
      }
      check(text)
    }
  }

  test("every byte at every place of a head") {
    heads.foreach { head =>
      (0 until head.length).foreach { at =>
        (0 to 255).foreach { byte =>
          val text = head.updated(at, byte.toChar)
          val one  = Wire.whole(text, limits)
          one match {
            case Outcome.Refused(status) => assert(refusals(status), clue(status))
            case _                       => ()
          }
          if ((byte * 31 + at) % 37 == 0) check(text)
        }
      }
    }
  }

  test("chunked bodies: noise ends in data, an end, or a refusal, the same whole and byte by byte") {
    val random = new Random(20264)
    val parts  = Vector(
      "0\r\n",
      "3\r\nabc\r\n",
      "\r\n",
      "\r",
      "\n",
      ";",
      "a=b",
      "\"",
      "1",
      "f",
      "X: y\r\n",
      " ",
      "\u0000",
      "ffffffffffffffff",
      "\\",
      "0\r\n\r\n"
    )
    (1 to 5000).foreach { _ =>
      val rawBytes = Wire.bytes(Seq.fill(random.nextInt(10))(parts(random.nextInt(parts.length))).mkString)
      assertEquals(run(rawBytes, 1), run(rawBytes, rawBytes.length))
    }
  }

  private def run(rawBytes: Array[Byte], step: Int): (String, Int, Int) = {
    val decoder = new ChunkedDecoder(50, 3)
    val data    = new StringBuilder
    var used    = 0
    var known   = 0
    while (decoder.state < ChunkedDecoder.Done && known < rawBytes.length) {
      known = Math.min(rawBytes.length, known + step)
      var before = -1
      while (used != before && decoder.state < ChunkedDecoder.Done) {
        before = used
        used = decoder.decode(rawBytes, used, known)
        data ++= new String(rawBytes, decoder.dataFrom, decoder.dataUntil - decoder.dataFrom, "ISO-8859-1")
      }
    }
    (
      data.toString,
      decoder.state,
      if (decoder.state == ChunkedDecoder.Bad) decoder.error.status.code else used
    )
  }
}
