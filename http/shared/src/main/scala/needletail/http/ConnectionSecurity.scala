package needletail.http

/**
 * What TLS has established for a connection.
 *
 * @param version    `TLSv1.3` or `TLSv1.2`
 * @param cipher     the cipher suite's name at IANA, such as `TLS_AES_128_GCM_SHA256`
 * @param protocol   the protocol negotiated by ALPN, such as `http/1.1`; empty if none was
 * @param serverName the name that the client requested (SNI), in lower case; empty if none
 * @param peer       the client's certificate; None if it has shown none
 */
final case class ConnectionSecurity(
    version: String,
    cipher: String,
    protocol: String,
    serverName: String,
    peer: Option[PeerCertificate]
)

/**
 * A certificate of a peer that has been verified: it is valid, was issued by a trusted authority, and the peer has
 * its key.
 *
 * @param subject the distinguished name in the form of RFC 2253: `CN=Ann,O=Example`
 * @param names   subject alternative names, with their kinds: `DNS:example.com`, `IP:192.0.2.1`, `email:ann@example.com`,
 *                `URI:spiffe://example.com/ann`
 * @param issuer  the issuer's distinguished name
 * @param serial  the serial number as `openssl x509 -serial` prints it: `07952E4A`
 * @param expires until when it is valid, milliseconds since 1970
 * @param sha256  SHA-256 of the whole certificate, 64 hexadecimal digits in lower case
 */
final case class PeerCertificate(
    subject: String,
    names: Seq[String],
    issuer: String,
    serial: String,
    expires: Long,
    sha256: String
)
