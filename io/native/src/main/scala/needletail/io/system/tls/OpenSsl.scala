package needletail.io.system.tls

import scala.scalanative.unsafe.*

import java.io.IOException

/**
 * The functions of needletail_tls_*.c, where they are documented. `OpenSsl.load` must succeed before any other is
 * called.
 */
@extern
@define("__SCALANATIVE_NEEDLETAIL_TLS")
private[tls] object OpenSslFunctions {
  @name("needletail_tls_load") def load(): CString       = extern
  @name("needletail_tls_version") def version(): CString = extern
  @name("needletail_tls_slot") def slot(): CInt          = extern

  @name("needletail_tls_flights") def flights(connection: Ptr[Byte]): CInt = extern
  @name("needletail_tls_taken") def taken(connection: Ptr[Byte]): CInt     = extern
  @name("needletail_tls_kind") def kind(connection: Ptr[Byte]): CInt       = extern
  @name("needletail_tls_why") def why(connection: Ptr[Byte]): CString      = extern

  // Contexts

  @name("needletail_tls_context") def context(isServer: CInt, seconds: CInt): Ptr[Byte] = extern
  @name("needletail_tls_profile")
  def profile(
      context: Ptr[Byte],
      least: CInt,
      most: CInt,
      ciphers: CString,
      newer: CString,
      groups: CString
  ): CString = extern
  @name("needletail_tls_keep") def keep(context: Ptr[Byte]): Ptr[Byte]  = extern
  @name("needletail_tls_release") def release(context: Ptr[Byte]): Unit = extern
  @name("needletail_tls_certificate")
  def certificate(
      context: Ptr[Byte],
      chain: Ptr[Byte],
      chainLength: CInt,
      key: Ptr[Byte],
      length: CInt,
      secret: CString
  ): CString = extern
  @name("needletail_tls_prefers_first") def prefersFirst(): CInt                                  = extern
  @name("needletail_tls_verify") def verify(context: Ptr[Byte], how: CInt): Unit                  = extern
  @name("needletail_tls_trust") def trust(context: Ptr[Byte], pem: Ptr[Byte], length: CInt): CInt = extern
  @name("needletail_tls_trust_system") def trustSystem(context: Ptr[Byte]): CString               = extern
  @name("needletail_tls_revoked")
  def revoked(
      context: Ptr[Byte],
      pem: Ptr[Byte],
      length: CInt,
      change: Long
  ): CInt = extern
  @name("needletail_tls_lists_read") def listsRead(): CInt                                        = extern
  @name("needletail_tls_lists_hashed") def listsHashed(): CInt                                    = extern
  @name("needletail_tls_share_trust") def shareTrust(context: Ptr[Byte], other: Ptr[Byte]): CInt  = extern
  @name("needletail_tls_pins") def pins(context: Ptr[Byte], hashes: Ptr[Byte], count: CInt): CInt = extern
  @name("needletail_tls_name") def name(context: Ptr[Byte], name: CString, its: Ptr[Byte]): CInt  = extern
  @name("needletail_tls_contexts") def contexts(context: Ptr[Byte]): CInt                         = extern
  @name("needletail_tls_contexts_alive") def contextsAlive(): CInt                                = extern
  @name("needletail_tls_choose") def choose(context: Ptr[Byte], refusesUnknown: CInt): Unit       = extern
  @name("needletail_tls_protocols")
  def protocols(context: Ptr[Byte], protocols: Ptr[Byte], length: CInt): CInt = extern
  @name("needletail_tls_check")
  def check(context: Ptr[Byte], check: CFuncPtr2[Ptr[Byte], CInt, CInt]): CInt            = extern
  @name("needletail_tls_tickets") def tickets(seconds: Long): Ptr[Byte]                   = extern
  @name("needletail_tls_release_tickets") def releaseTickets(tickets: Ptr[Byte]): Unit    = extern
  @name("needletail_tls_tickets_alive") def ticketsAlive(): CInt                          = extern
  @name("needletail_tls_resume") def resume(context: Ptr[Byte], tickets: Ptr[Byte]): Unit = extern

  // Connections

  @name("needletail_tls_open")
  def open(context: Ptr[Byte], fd: CInt, name: CString, key: CString, isChecked: CInt): Ptr[Byte] = extern
  @name("needletail_tls_handshake") def handshake(connection: Ptr[Byte]): CInt                    = extern
  @name("needletail_tls_read") def read(connection: Ptr[Byte], to: Ptr[Byte], count: CInt): CInt  = extern
  @name("needletail_tls_write")
  def write(connection: Ptr[Byte], from: Ptr[Byte], count: CInt): CInt                = extern
  @name("needletail_tls_send_owed") def sendOwed(connection: Ptr[Byte]): CInt         = extern
  @name("needletail_tls_end") def end(connection: Ptr[Byte]): CInt                    = extern
  @name("needletail_tls_close") def close(connection: Ptr[Byte], isReset: CInt): Unit = extern

  @name("needletail_tls_divert")
  def divert(
      take: CFuncPtr3[CInt, Ptr[Byte], CInt, CInt],
      give: CFuncPtr3[CInt, Ptr[Byte], CInt, CInt],
      end: CFuncPtr1[CInt, CInt]
  ): Unit = extern

  // Facts

  @name("needletail_tls_certificate_facts")
  def certificateFacts(pem: Ptr[Byte], size: CInt, length: Ptr[CInt]): Ptr[Byte] = extern
  @name("needletail_tls_list_facts")
  def listFacts(
      pem: Ptr[Byte],
      size: CInt,
      trusted: Ptr[Byte],
      trustedSize: CInt,
      length: Ptr[CInt]
  ): Ptr[Byte] = extern
  @name("needletail_tls_needed_lists")
  def neededLists(trusted: Ptr[Byte], size: CInt, lists: Ptr[Byte], all: CInt, length: Ptr[CInt]): Ptr[Byte] =
    extern
  @name("needletail_tls_session_facts")
  def sessionFacts(connection: Ptr[Byte], length: Ptr[CInt]): Ptr[Byte]                = extern
  @name("needletail_tls_refused_facts") def refusedFacts(length: Ptr[CInt]): Ptr[Byte] = extern
  @name("needletail_tls_free_facts") def freeFacts(facts: Ptr[Byte]): Unit             = extern
}

/** OpenSSL, which is loaded when it is first needed. */
private[tls] object OpenSsl {

  /** Throws an IOException with the reason if OpenSSL cannot be used. */
  def load(): Unit = {
    val problem = OpenSslFunctions.load()
    if (problem ne null) throw new IOException(fromCString(problem))
  }

  def outOfMemory: IOException = new IOException("no memory for TLS")
}
