package needletail.content.file

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import needletail.http.{Headers, Method, Request}
import needletail.testing.{Suite, TemporaryDirectories}

/** A directory with some files that is served, and a file beside it that is not. */
private[file] abstract class ServedDirectory extends Suite with TemporaryDirectories {
  protected final def served[A](test: (Path, FileServer) => A): A = {
    val root = temporaryDirectory()
    Files.createDirectories(root.resolve("public/sub"))
    write(root, "public/a.txt", "0123456789")
    write(root, "public/sub/index.html", "<p>")
    write(root, "secret.txt", "no")
    test(root.resolve("public"), new FileServer(root.resolve("public"), FileConfig()))
  }

  protected final def write(root: Path, name: String, text: String): Unit = {
    Files.write(root.resolve(name), text.getBytes(UTF_8))
    ()
  }

  protected final def get(target: String, fields: (String, String)*): Request =
    Request(Method.GET, target, Headers(fields*))
}
