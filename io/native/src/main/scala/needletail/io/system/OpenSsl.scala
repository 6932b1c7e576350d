package needletail.io.system

import scala.scalanative.unsafe.*

import java.io.IOException

/**
 * The functions of needletail_tls_context.c, needletail_tls_tickets.c and needletail_tls_socket.c, where they are
 * documented. `OpenSsl.load` must succeed before any other is called.
 */
@extern
@define("__SCALANATIVE_NEEDLETAIL_TLS")
private[io] object OpenSslFunctions {
  @name("needletail_tls_load") def load(): CString = extern
  @name("needletail_tls_slot") def slot(): CInt    = extern

  @name("needletail_tls_context")
  def context(isServer: CInt, least: CInt, most: CInt, ciphers: CString, groups: CString): Ptr[Byte] = extern
  @name("needletail_tls_release") def release(context: Ptr[Byte]): Unit                              = extern
  @name("needletail_tls_certificate")
  def certificate(
      context: Ptr[Byte],
      chain: Ptr[Byte],
      chainLength: CInt,
      key: Ptr[Byte],
      length: CInt,
      secret: CString
  ): CString = extern
  @name("needletail_tls_verify") def verify(context: Ptr[Byte], how: CInt): Unit             = extern
  @name("needletail_tls_trust")
  def trust(context: Ptr[Byte], pem: Ptr[Byte], length: CInt): CInt                = extern
  @name("needletail_tls_trust_system") def trustSystem(context: Ptr[Byte]): CString = extern
  @name("needletail_tls_protocols")
  def protocols(context: Ptr[Byte], protocols: Ptr[Byte], length: CInt): Unit              = extern
  @name("needletail_tls_tickets") def tickets(seconds: Long): Ptr[Byte]                   = extern
  @name("needletail_tls_release_tickets") def releaseTickets(tickets: Ptr[Byte]): Unit     = extern
  @name("needletail_tls_resume") def resume(context: Ptr[Byte], tickets: Ptr[Byte]): Unit  = extern

  @name("needletail_tls_open")
  def open(context: Ptr[Byte], fd: CInt, name: CString, key: CString, isChecked: CInt): Ptr[Byte] = extern
  @name("needletail_tls_handshake") def handshake(connection: Ptr[Byte]): CInt                    = extern
  @name("needletail_tls_read")
  def read(connection: Ptr[Byte], to: Ptr[Byte], count: CInt): CInt = extern
  @name("needletail_tls_write")
  def write(connection: Ptr[Byte], from: Ptr[Byte], count: CInt): CInt                     = extern
  @name("needletail_tls_send_owed") def sendOwed(connection: Ptr[Byte]): CInt              = extern
  @name("needletail_tls_end") def end(connection: Ptr[Byte]): CInt                         = extern
  @name("needletail_tls_close") def close(connection: Ptr[Byte], isReset: CInt): Unit      = extern
}

/** OpenSSL, which is loaded when it is first needed. */
private[io] object OpenSsl {

  /** Throws an IOException that says why, if there is no OpenSSL that can be used. */
  def load(): Unit = {
    val problem = OpenSslFunctions.load()
    if (problem ne null) throw new IOException(fromCString(problem))
  }
}
