package needletail.load.plan

import java.io.IOException
import java.nio.file.{InvalidPathException, Paths}

import needletail.io.Tls

/** The TLS settings for the certificates that a plan trusts. */
private[load] object TrustedTls {

  /** Reads the file of certificates, if there is one. Left is the error. */
  def of(trust: Trust): Either[String, Tls] = trust match {
    case Trust.System             => Right(Tls.system)
    case Trust.Anybody            => Right(Tls.unchecked)
    case Trust.Certificates(file) =>
      try Right(Tls.trusting(Paths.get(file)))
      catch {
        case e: IOException          => Left(s"cannot read certificates: ${e.getMessage}")
        case e: InvalidPathException => Left(s"cannot read certificates: ${e.getMessage}")
      }
  }
}
