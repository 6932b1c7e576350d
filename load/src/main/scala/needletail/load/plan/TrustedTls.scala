package needletail.load.plan

import java.io.IOException
import java.nio.file.{InvalidPathException, Paths}

import needletail.io.{Tls, TlsClientConfig, TlsTrust}

/** The TLS settings of a plan. */
private[load] object TrustedTls {

  /** Reads the file of certificates, if there is one. Left is the error. */
  def of(trust: Trust, resumes: Boolean = true): Either[String, Tls] =
    try Right(Tls.client(TlsClientConfig(trusted(trust), protocols = Seq("http/1.1"), resume = resumes)))
    catch {
      case e: IOException          => Left(s"cannot read certificates: ${e.getMessage}")
      case e: InvalidPathException => Left(s"cannot read certificates: ${e.getMessage}")
    }

  private def trusted(trust: Trust): TlsTrust = trust match {
    case Trust.System             => TlsTrust.System
    case Trust.Anybody            => TlsTrust.Unchecked
    case Trust.Certificates(file) => TlsTrust.File(Paths.get(file))
  }
}
