package needletail.load.plan

import java.io.IOException
import java.nio.file.{InvalidPathException, Paths}

import needletail.io.{Tls, TlsCertificate, TlsClientConfig, TlsTrust}

/** The TLS settings of a plan. */
private[load] object TrustedTls {

  /** Reads the files of certificates, if there are any. Left is the error. */
  def of(
      trust: Trust,
      certificate: Option[ClientCertificate],
      resumes: Boolean = true
  ): Either[String, Tls] =
    try Right(Tls.client(TlsClientConfig(
        trusted(trust),
        certificate.map(own => TlsCertificate(own.chain, own.key)),
        protocols = Seq("http/1.1"),
        resume = resumes
      )))
    catch {
      case e: IOException          => Left(s"cannot use TLS: ${e.getMessage}")
      case e: InvalidPathException => Left(s"cannot use TLS: ${e.getMessage}")
    }

  private def trusted(trust: Trust): TlsTrust = trust match {
    case Trust.System             => TlsTrust.System
    case Trust.Anybody            => TlsTrust.Unchecked
    case Trust.Certificates(file) => TlsTrust.File(Paths.get(file))
  }
}
