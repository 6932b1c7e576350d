package needletail.io.system.tls

import scala.scalanative.unsafe.*

import needletail.io.platform.{Socket, TlsServerContext}
import needletail.io.tls.{
  AuthorityExpiry,
  CertificateInfo,
  CertificateText,
  ListExpiry,
  ListedClients,
  RevocationLists,
  TlsClientAuth,
  TlsCounts,
  TlsServerConfig
}

/** A server's side of TLS. Throws an IOException that names the file and the error. */
private[io] final class OpenSslServer(config: TlsServerConfig) extends TlsServerContext {
  private val own      = config.certificates.map(new OwnCertificate(_))
  private val trusted  = config.clients.map(clients => PemFile.certificates(clients.authorities))
  private val revoked  = config.clients.flatMap(_.revoked).map(new RevokedFile(_, trusted))
  private val check    = config.clients.map(_.check).filterNot(_ eq TlsClientAuth.any)
  private val named    = OwnCertificate.byNames(own)
  private val contexts = new OpenSslContexts(_ => make())

  private var tickets: Ptr[Byte] = null // made with the first context
  private var isReleased         = false

  override val notices: Seq[String] =
    try {
      OpenSslFunctions.release(make()) // so that what is wrong with the files is known now
      val found =
        for (known <- trusted; lists <- revoked)
          yield RevocationLists.unlisted(OpenSslFacts.needed(known, lists.file), known.file, lists.file.file)
      found.getOrElse(Nil) ++ trusted.toSeq.flatMap { file =>
        ListedClients.notices(OpenSslFacts.certificates(file).map(_._1).zip(file.encoded), file.file)
      }
    } catch {
      case e: Throwable =>
        release()
        throw e
    }

  def certificates: Seq[CertificateInfo] = own.map(_.info)

  override def origins: Seq[String] =
    own.map(one => CertificateText.origin(one.info, one.chain.file, one.kindOfKey))

  override val lists: Seq[ListExpiry] = revoked.toSeq.flatMap(_.expiries)

  override val authorities: Seq[AuthorityExpiry] =
    trusted.toSeq.flatMap(file => AuthorityExpiry.of(OpenSslFacts.certificates(file), file.file))

  private def make(): Ptr[Byte] = {
    val defaults = own.filter(_.hosts == own.head.hosts)
    val main     = of(defaults)(trust(_))
    try {
      for ((its, names) <- named) {
        // one of another kind may be for some names of the first only, or for more
        val other = if (its == defaults) null else of(its)(shareTrust(_, main))
        try names.foreach(addName(main, _, other))
        finally if (other ne null) OpenSslFunctions.release(other)
      }
      OpenSslFunctions.choose(main, if (config.refuseUnknownNames) 1 else 0)
      if (config.resume) resume(main)
      main
    } catch {
      case e: Throwable =>
        OpenSslFunctions.release(main)
        throw e
    }
  }

  /** Not after `release`, which does not wait for a loop that is making a context: sessions of that one end with it. */
  private def resume(main: Ptr[Byte]): Unit = synchronized {
    if (!isReleased) {
      if (tickets eq null) tickets = OpenSslFunctions.tickets(config.sessionLifetime.toSeconds)
      if (tickets eq null) throw OpenSsl.outOfMemory
      OpenSslFunctions.resume(main, tickets)
    }
  }

  private def addName(main: Ptr[Byte], name: String, its: Ptr[Byte]): Unit = Zone.acquire { implicit zone =>
    if (OpenSslFunctions.name(main, toCString(name), its) == 0) throw OpenSsl.outOfMemory
  }

  /** How many contexts of OpenSSL a loop needs. */
  private[tls] def contextsOfLoop: Int = contexts.here(OpenSslFunctions.contexts(_))

  /** Runs `body` while a context is in use, as it is by a connection. */
  private[tls] def whileUsed[A](body: => A): A = contexts.here(_ => body)

  /** A context with some of the certificates; of several with the same kind of key, the first is used. */
  private def of(some: Seq[OwnCertificate])(trust: Ptr[Byte] => Unit): Ptr[Byte] =
    OpenSslSettings.context(isServer = true, config.profile, if (config.resume) 1 else 0) { context =>
      val ordered = if (OpenSslFunctions.prefersFirst() == 1) some else some.reverse
      ordered.foreach(OpenSslSettings.own(context, _))
      OpenSslSettings.protocols(context, config.protocols)
      trust(context)
      config.clients.foreach(clients => OpenSslFunctions.verify(context, if (clients.required) 2 else 1))
      if (check.nonEmpty && OpenSslFunctions.check(context, ClientCertificateCheck.function) == 0)
        throw OpenSsl.outOfMemory
    }

  private def trust(context: Ptr[Byte]): Unit = {
    trusted.foreach(OpenSslSettings.trust(context, _))
    OpenSslSettings.revoked(context, revoked)
  }

  /** The files may be large, so they are read once for all contexts of a loop. */
  private def shareTrust(context: Ptr[Byte], main: Ptr[Byte]): Unit =
    if (trusted.nonEmpty && OpenSslFunctions.shareTrust(context, main) == 0) throw OpenSsl.outOfMemory

  def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket = contexts.here { context =>
    val number = OpenSslSocket.numberOf(socket)
    val made   = OpenSslFunctions.open(context, number, null, null, 0)
    if (made eq null) throw OpenSsl.outOfMemory
    new OpenSslSocket(
      socket,
      number,
      made,
      "the client",
      counts,
      toPlain,
      check.map(new ClientCertificateCheck(_))
    )
  }

  /** The keys of tickets are erased when the last connection of these contexts has ended. */
  override def release(): Unit = {
    contexts.release()
    synchronized {
      isReleased = true
      forgetTickets()
    }
  }

  override def replaces(former: TlsServerContext): Unit = former match {
    case other: OpenSslServer => contexts.makeFor(other.contexts)
    case _                    => ()
  }

  override def rest(): Unit = {
    contexts.clear()
    synchronized(forgetTickets())
  }

  private def forgetTickets(): Unit = if (tickets ne null) {
    OpenSslFunctions.releaseTickets(tickets)
    tickets = null
  }
}
