package needletail.io.tls

import java.io.IOException
import java.nio.file.{FileSystem, FileSystems, Files, Path}

import needletail.io.Tls
import needletail.testing.{Suite, TemporaryDirectories}

/** Files of keys and certificates in another file system than the system's. */
class ArchivedFilesSuite extends Suite with TemporaryDirectories {

  private def withArchive(body: FileSystem => Unit): Unit = {
    val file = Files.createTempFile("needletail", ".zip")
    Files.delete(file)
    val archive = FileSystems.newFileSystem(file, java.util.Map.of("create", "true"))
    try body(archive)
    finally {
      archive.close()
      Files.deleteIfExists(file)
      ()
    }
  }

  test("a certificate and its key are read from an archive") {
    val issued = newAuthority().issue("DNS:localhost")
    withArchive { archive =>
      def inside(file: Path): Path = Files.copy(file, archive.getPath("/" + file.getFileName))
      val config = TlsServerConfig(Seq(TlsCertificate(inside(issued.chain), inside(issued.key))))
      assertEquals(Tls.server(config).certificates.size, 1)
    }
  }

  test("a reload from an archive that was closed meanwhile fails, counts, and changes nothing") {
    val issued = newAuthority().issue("DNS:localhost")
    withArchive { archive =>
      def inside(file: Path): Path = Files.copy(file, archive.getPath("/" + file.getFileName))
      val chain                    = inside(issued.chain)
      val identity = Tls.server(TlsServerConfig(Seq(TlsCertificate(chain, inside(issued.key)))))
      archive.close()
      val e = intercept[IOException](identity.reload())
      assertEquals(e.getMessage, s"$chain cannot be read: its file system is closed")
      assertEquals(identity.counts.failedReloads, 1L)
      assertEquals(identity.certificates.size, 1)
    }
  }

  test("an error names a file that is not there, or is too large") {
    withArchive { archive =>
      def why(file: Path): String =
        intercept[IOException](Tls.server(TlsServerConfig(Seq(TlsCertificate(file, file))))).getMessage
      val file = archive.getPath("/key.pem")
      assertEquals(why(file), "/key.pem cannot be read: No such file or directory")
      Files.write(file, new Array[Byte](1024 * 1024 + 1))
      assertEquals(why(file), "/key.pem cannot be read: it is larger than 1 MiB")
    }
  }
}
