package needletail.io.tls

/**
 * The results of a TLS handshake.
 *
 * @param version    `TLSv1.3` or `TLSv1.2`
 * @param cipher     the cipher suite's name at IANA, such as `TLS_AES_128_GCM_SHA256`
 * @param protocol   the protocol negotiated by ALPN; empty if none was
 * @param serverName the name that the client requested (SNI), in lower case; empty if none
 * @param peer       the peer's certificate, which has been verified (unless everybody is trusted); None if it presented none
 * @param isResumed  whether an earlier session was resumed
 * @param nanos      how long the handshake took, in nanoseconds
 */
final case class TlsSession(
    version: String,
    cipher: String,
    protocol: String,
    serverName: String,
    peer: Option[CertificateInfo],
    isResumed: Boolean,
    nanos: Long = 0
)

/**
 * The content of an X.509 certificate (RFC 5280).
 *
 * @param subject   the distinguished name in the form of RFC 2253: `CN=Ann,O=Example`
 * @param names     subject alternative names, with their kinds: `DNS:example.com`, `IP:192.0.2.1`, `email:ann@example.com`,
 *                  `URI:spiffe://example.com/ann`; others are omitted
 * @param issuer    the issuer's distinguished name
 * @param serial    the serial number as `openssl x509 -serial` prints it: `07952E4A`
 * @param notBefore from when it is valid, milliseconds since 1970
 * @param notAfter  until when it is valid, milliseconds since 1970
 * @param sha256    SHA-256 of the whole certificate, 64 hexadecimal digits in lower case
 */
final case class CertificateInfo(
    subject: String,
    names: Seq[String],
    issuer: String,
    serial: String,
    notBefore: Long,
    notAfter: Long,
    sha256: String
)
