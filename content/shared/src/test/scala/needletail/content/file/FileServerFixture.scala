package needletail.content.file

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}

import scala.util.Random

import needletail.http.{Headers, Method, Request}
import needletail.testing.{Suite, TemporaryDirectories}

/** A directory of small files, a large one and a hidden one, and a file beside it, all of the same time. */
private[file] abstract class FileServerFixture extends Suite with TemporaryDirectories {
  protected final val large: Array[Byte] = {
    val bytes = new Array[Byte](200000)
    new Random(1).nextBytes(bytes)
    bytes
  }

  /** A server of files in memory up to 1000 bytes. */
  protected final def served[A](config: FileConfig =
    FileConfig(cachedFile = 1000))(test: (Path, FileServer) => A): A = {
    val root = temporaryDirectory()
    Files.createDirectories(root.resolve("public/sub/deep"))
    write(root, "public/a.txt", "0123456789")
    write(root, "public/sub/index.html", "<p>")
    write(root, "public/.secret", "no")
    write(root, "secret.txt", "no")
    Files.write(root.resolve("public/large.bin"), large)
    test(root.resolve("public"), new FileServer(root.resolve("public"), config))
  }

  protected final def write(root: Path, name: String, text: String): Unit = {
    Files.write(root.resolve(name), text.getBytes(UTF_8))
    Files.setLastModifiedTime(root.resolve(name), FileTime.fromMillis(784111777000L))
    ()
  }

  protected final def get(target: String, fields: (String, String)*): Request =
    Request(Method.GET, target, Headers(fields*))
}
