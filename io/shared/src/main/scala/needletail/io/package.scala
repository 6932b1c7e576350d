package needletail

/**
 * Event loops and connections.
 *
 * Types that users name and that packages below define are re-exported here.
 */
package object io {
  type ConnectionOptions = platform.ConnectionOptions
  type ListenOptions     = platform.ListenOptions
  type PollerKind        = platform.PollerKind

  type CertificateInfo = tls.CertificateInfo
  type TlsCertificate  = tls.TlsCertificate
  type TlsClientAuth   = tls.TlsClientAuth
  type TlsClientConfig = tls.TlsClientConfig
  type TlsLimits       = tls.TlsLimits
  type TlsProfile      = tls.TlsProfile
  type TlsServerConfig = tls.TlsServerConfig
  type TlsSession      = tls.TlsSession
  type TlsTrust        = tls.TlsTrust

  val ConnectionOptions: platform.ConnectionOptions.type = platform.ConnectionOptions
  val ListenOptions: platform.ListenOptions.type         = platform.ListenOptions
  val PollerKind: platform.PollerKind.type               = platform.PollerKind
  val TlsCertificate: tls.TlsCertificate.type            = tls.TlsCertificate
  val TlsClientAuth: tls.TlsClientAuth.type              = tls.TlsClientAuth
  val TlsClientConfig: tls.TlsClientConfig.type          = tls.TlsClientConfig
  val TlsLimits: tls.TlsLimits.type                      = tls.TlsLimits
  val TlsProfile: tls.TlsProfile.type                    = tls.TlsProfile
  val TlsServerConfig: tls.TlsServerConfig.type          = tls.TlsServerConfig
  val TlsTrust: tls.TlsTrust.type                        = tls.TlsTrust
}
