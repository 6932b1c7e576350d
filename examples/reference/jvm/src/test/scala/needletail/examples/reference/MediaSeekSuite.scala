package needletail.examples.reference

import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._

import needletail.examples.services.{Browser, Running}
import needletail.json.Json
import needletail.testing.{Suite, TemporaryDirectories}

/** The video element of a browser, which seeks in a static file by ranges. */
class MediaSeekSuite extends Suite with Running with TemporaryDirectories {
  override def munitTimeout: Duration = 120.seconds

  private val seconds     = 200
  private val bytesPerSec = 192000 // 48 kHz, two channels, 16 bits
  private val size        = 44L + seconds.toLong * bytesPerSec

  /** Silence, which every Chromium can play: a header, and a hole in the file. */
  private def writeSound(path: Path): Unit = {
    val head = ByteBuffer.allocate(44).order(LITTLE_ENDIAN)
    head.put("RIFF".getBytes(US_ASCII)).putInt((size - 8).toInt).put("WAVEfmt ".getBytes(US_ASCII))
    head.putInt(16).putShort(1).putShort(2).putInt(48000).putInt(bytesPerSec).putShort(4).putShort(16)
    head.put("data".getBytes(US_ASCII)).putInt((size - 44).toInt)
    val file = new java.io.RandomAccessFile(path.toFile, "rw")
    try {
      file.write(head.array)
      file.setLength(size)
    } finally file.close()
  }

  test("it plays from the start, and from the middle after a seek, without what lies between") {
    assume(Browser.found.isDefined, Browser.missing("MediaSeekSuite"))
    val root = temporaryDirectory()
    writeSound(root.resolve("long.wav"))
    Files.write(
      root.resolve("index.html"),
      "<!doctype html><title>Seek</title><video src='long.wav' preload='metadata'></video>".getBytes(UTF_8)
    )
    val asked  = new ConcurrentLinkedQueue[(String, Int)]
    val routes = WebContent.routes(Some(root)).mapResponse { (request, response) =>
      // the browser may ask whether a piece that it has in its cache is still the present one: that is no part of this
      val isAboutCache = request.header("If-None-Match").isDefined && response.status.code == 304
      if (request.path.endsWith(".wav") && !isAboutCache)
        asked.add((request.header("Range").getOrElse("-"), response.status.code))
      response
    }
    running(routes) { server =>
      val browser = Browser.start(Browser.found.get)
      try {
        browser.open(s"${server.url}/static/", before = "")
        def video(script: String): Json = browser.evaluate(
          s"(video => $script)(document.querySelector('video') ?? {})"
        )
        eventually(video("video.readyState >= 1") == Json(true), asked)
        assertEquals(video("video.duration"), Json(seconds.toLong))
        assertEquals(asked.peek, ("bytes=0-", 206))
        video(
          s"(video.addEventListener('seeked', () => window.sought = true), video.currentTime = ${seconds / 2})"
        )
        eventually(browser.evaluate("window.sought === true") == Json(true), asked)
        eventually(video("video.readyState >= 2 && video.error === null") == Json(true), asked)
        val starts = asked.toArray(Array.empty[(String, Int)]).toList.map { case (range, status) =>
          assertEquals(status, 206, range)
          range.stripPrefix("bytes=").takeWhile(_ != '-').toLong
        }
        val middle = size / 2
        assert(starts.exists(at => at > 0 && Math.abs(at - middle) < 2 * 1024 * 1024), starts)
      } finally browser.close()
    }
  }
}
