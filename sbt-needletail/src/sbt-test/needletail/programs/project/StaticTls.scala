import sbt._
import scala.sys.process._

/** What a static program with TLS needs. */
object StaticTls {

  /** Whether the linker finds OpenSSL as a static library. */
  def isInstalled: Boolean =
    try Process(Seq("clang", "-print-file-name=libssl.a")).!!.trim.startsWith("/")
    catch { case _: Exception => false }

  /** A certificate for this machine, and its key, in files of `folder`. */
  def certificate(folder: File): (File, File) = {
    val (chain, key) = (folder / "cert.pem", folder / "key.pem")
    IO.createDirectory(folder)
    val command = Seq("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes") ++
      Seq("-days", "2", "-subj", "/CN=localhost", "-keyout", key.getPath, "-out", chain.getPath)
    assert(Process(command).!(ProcessLogger(_ => ())) == 0, "openssl failed")
    (chain, key)
  }
}
