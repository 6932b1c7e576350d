package needletail.io.system.tls

import java.io.IOException
import java.lang.invoke.{MethodHandle, MethodHandles, MethodType}
import java.security.cert.{CertificateException, X509Certificate}
import java.security.{GeneralSecurityException, Provider}
import java.util.Collections
import java.util.concurrent.locks.ReentrantLock
import javax.net.ssl.{
  KeyManager,
  SNIHostName,
  SNIMatcher,
  SNIServerName,
  SSLContext,
  SSLEngine,
  SSLParameters,
  TrustManager,
  X509ExtendedTrustManager
}

import needletail.async.Survivable
import needletail.io.platform.{Socket, TlsClientContext, TlsServerContext}
import needletail.io.system.NioSocket
import needletail.io.tls.{
  AuthorityExpiry,
  CertificateInfo,
  CertificateText,
  ListExpiry,
  ListedClients,
  RevocationLists,
  TlsClientConfig,
  TlsCounts,
  TlsProfile,
  TlsServerConfig,
  TlsTrust
}

/**
 * A server's identity with an `SSLContext`.
 *
 * @param context of the next connection
 */
private[io] final class JdkServerContext private (
    context: () => SSLContext,
    parameters: SSLParameters, // null: the context's own
    matcher: () => SNIMatcher, // null: the parameters'
    certificateChecks: Option[CertificateInfo => Boolean],
    val certificates: Seq[CertificateInfo],
    override val origins: Seq[String] = Nil,
    override val lists: Seq[ListExpiry] = Nil,
    override val authorities: Seq[AuthorityExpiry] = Nil,
    override val notices: Seq[String] = Nil,
    isInline: Boolean // see TlsSocket
) extends TlsServerContext {
  def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket = new TlsSocket(
    NioSocket.channelOf(socket),
    engine(),
    "the client",
    counts,
    toPlain,
    certificateChecks,
    isInline = isInline
  )

  private def engine(): SSLEngine = {
    val engine = context().createSSLEngine()
    engine.setUseClientMode(false)
    if (matcher ne null) parameters.synchronized {
      parameters.setSNIMatchers(Collections.singletonList(matcher()))
      engine.setSSLParameters(parameters)
    }
    else if (parameters ne null) engine.setSSLParameters(parameters)
    engine
  }
}

private[io] object JdkServerContext {

  /** With the keys, protocols and trust of `context`. */
  def of(context: SSLContext): TlsServerContext = {
    // one that passes on to another may have none
    val isInline = Option(context.getProvider).forall(_.getName != TheJdks)
    val made     = new JdkServerContext(() => context, null, null, None, Nil, isInline = isInline)
    FirstHandshake.make(made.engine())
    made
  }

  /** The provider whose engine hands out what is expensive as tasks. Conscrypt's computes it while it reads. */
  private final val TheJdks = "SunJSSE"

  /** @param provider of the `SSLContext`; null for the JDK's */
  def load(config: TlsServerConfig, provider: Provider): TlsServerContext = {
    val keys    = ServerKeys.read(config.certificates)
    val lists   = config.clients.flatMap(_.revoked).map(RevokedCertificates.read)
    val known   = config.clients.map(clients => Pem.certificates(clients.authorities))
    val notices = (for (clients <- config.clients; own <- known) yield {
      val missing =
        for (file <- clients.revoked; all <- lists)
          yield RevocationLists.unlisted(all.needed(own), clients.authorities, file)
      missing.getOrElse(Nil) ++
        ListedClients.notices(own.map(one => (Certificates.info(one), one.getEncoded)), clients.authorities)
    }).getOrElse(Nil)
    val trust = for (clients <- config.clients; own <- known)
      yield Trust.also(Trust.of(own, lists))(JdkContexts.accepted(clients.check))
    // without `nobody` the JDK would read the certificates that it trusts
    def make(): SSLContext = JdkContexts.context(provider, Array(keys), Array(trust.getOrElse(Trust.nobody)))
    val sessions           =
      new ServerSessions(() => make(), config.sessionLifetime.toSeconds.toInt, () => System.nanoTime)
    val parameters = JdkContexts.parameters(sessions.context(), config.profile, config.protocols)
    config.clients.foreach { clients =>
      if (clients.required) parameters.setNeedClientAuth(true) else parameters.setWantClientAuth(true)
    }
    def matcher = new ServerKeys.Matcher(keys, config.refuseUnknownNames)
    parameters.setSNIMatchers(Collections.singletonList(matcher))
    // one of its own for each engine tells which name it has refused
    val ofEngine = if (config.refuseUnknownNames) () => matcher else null
    val infos    = keys.certificates.map(Certificates.info)
    val origins  = for (((info, own), files) <- infos.zip(keys.certificates).zip(config.certificates))
      yield CertificateText.origin(info, files.chain, Certificates.kindOfKey(own))
    // The JDK cannot be told not to resume sessions. But each context knows only those that it has made itself.
    // With one that knows none, a list of revoked certificates counts that has expired or begun: full handshakes use it.
    val dated    = lists.fold(Seq.empty[RevocationLists.Dated])(_.dated(known.getOrElse(Nil)))
    val read     = System.currentTimeMillis
    val expiries = config.clients.flatMap(_.revoked).toSeq.flatMap(RevocationLists.expiries(dated, _, read))
    val change   = RevocationLists.change(dated, read)
    val ends     = (for (clients <- config.clients; all <- known) yield AuthorityExpiry.of(
      all.map(one => (Certificates.info(one), one.getPublicKey.getEncoded.toSeq)),
      clients.authorities
    )).getOrElse(Nil)
    def mayResume          = config.resume && change.forall(System.currentTimeMillis < _)
    def next(): SSLContext = if (mayResume) sessions.context() else make()
    val check              = config.clients.map(_.check)
    val made               =
      new JdkServerContext(
        () => next(),
        parameters,
        ofEngine,
        check,
        infos,
        origins,
        expiries,
        ends,
        notices,
        provider ne null
      )
    FirstHandshake.make(made.engine())
    made
  }
}

/**
 * @param makeContexts may take time, as it reads some hundred certificates; called once
 * @param configure    sets an engine's parameters, with the names that it requests (SNI)
 * @param resumes      whether sessions are resumed
 * @param isChecked    whether certificates are checked
 */
private[io] final class JdkClientContext private (
    makeContexts: () => ClientSessions,
    configure: (SSLEngine, java.util.List[SNIServerName]) => Unit,
    resumes: Boolean,
    isChecked: Boolean
) extends TlsClientContext {
  @volatile private var made: ClientSessions = null

  @volatile private var failure: JdkClientContext.Failure = null // of the latest attempt, if it has failed

  private val making = new ReentrantLock

  override def isPrepared: Boolean = made ne null

  override def hasFailedSince(nanos: Long): Boolean = {
    val latest = failure
    (latest ne null) && latest.at - nanos >= 0
  }

  override def prepare(): Boolean = making.tryLock() && {
    try attempt()
    finally making.unlock()
    true
  }

  private def attempt(): Unit = if (made eq null)
    try made = makeContexts()
    catch { case Survivable(e) => failure = new JdkClientContext.Failure(e, System.nanoTime) }

  private def contexts: ClientSessions = {
    if ((made eq null) && (failure eq null)) {
      making.lock()
      try attempt()
      finally making.unlock()
    }
    if (made eq null) throw failure.why
    made
  }

  def over(socket: Socket, name: String, port: Int): Socket =
    try {
      val its    = contexts.next()
      val engine = its.context.createSSLEngine(name, if (resumes) port else JdkClientContext.unusedPort())
      engine.setUseClientMode(true)
      configure(engine, JdkClientContext.requested(engine, name))
      new TlsSocket(NioSocket.channelOf(socket), engine, name, null, null, None, isChecked) {
        override protected def secure(): Boolean = super.secure() && {
          if (isChecked) its.completed(engine)
          true
        }
      }
    } catch {
      case e: Throwable =>
        socket.close()
        throw e match {
          case g: GeneralSecurityException => new IOException(s"TLS is not available: ${Pem.line(g)}", g)
          case other                       => other
        }
    }
}

private[io] object JdkClientContext {

  private final class Failure(val why: Throwable, val at: Long)

  /** With the trust, keys and session cache of `context`. */
  def of(context: () => SSLContext): TlsClientContext = new JdkClientContext(
    () => new ClientSessions(context, Nil, None, () => 0), // another one would be no other
    (engine, names) => {
      val parameters = engine.getSSLParameters
      parameters.setEndpointIdentificationAlgorithm(Https)
      parameters.setServerNames(names)
      engine.setSSLParameters(parameters)
    },
    resumes = true,
    isChecked = true
  )

  /** @param provider of the `SSLContext`; null for the JDK's */
  def load(config: TlsClientConfig, provider: Provider): TlsClientContext = {
    val keys    = config.certificate.map(files => ServerKeys.read(Seq(files)): KeyManager).toArray
    val revoked = config.revoked.map(RevokedCertificates.read)
    def known(inner: X509ExtendedTrustManager)            = (inner, inner.getAcceptedIssuers.toSeq)
    val trust: () => (TrustManager, Seq[X509Certificate]) = config.trust match {
      case TlsTrust.Unchecked  => () => (Trust.everybody, Nil)
      case TlsTrust.File(file) =>
        val inner = Trust.of(Pem.certificates(file), revoked, config.pins)
        () => known(inner)
      case TlsTrust.System =>
        () => {
          known(
            if (revoked.isEmpty) Trust.system(config.pins)
            else Trust.of(Trust.system().getAcceptedIssuers.toSeq, revoked, config.pins)
          )
        }
    }
    val change = revoked.flatMap(lists => RevocationLists.change(lists.dated(Nil), System.currentTimeMillis))
    // Lazy, as the parameters must be those of the context that is used.
    var parameters: SSLParameters = null
    def make(): ClientSessions    = {
      val (manager, trusted) = trust()
      def next()             = {
        val context = JdkContexts.context(provider, keys, Array(manager))
        if (!config.resume) context.getClientSessionContext.setSessionCacheSize(1)
        context
      }
      val sessions = new ClientSessions(() => next(), trusted, change, () => System.currentTimeMillis)
      val made     = JdkContexts.parameters(sessions.next().context, config.profile, config.protocols)
      if (config.trust != TlsTrust.Unchecked) made.setEndpointIdentificationAlgorithm(Https)
      parameters = made
      sessions
    }
    new JdkClientContext(
      () => make(),
      (engine, names) =>
        parameters.synchronized {
          parameters.setServerNames(names)
          engine.setSSLParameters(parameters)
        },
      config.resume,
      config.trust != TlsTrust.Unchecked
    )
  }

  /**
   * The names that an engine requests (RFC 6066 §3): that which it was created for. The JDK leaves out names without a dot,
   * which hosts of a local network, of containers or of a cluster have.
   */
  private def requested(engine: SSLEngine, name: String): java.util.List[SNIServerName] = {
    val own     = engine.getSSLParameters.getServerNames
    val isLabel =
      name.nonEmpty && !name.exists(c => c == '.' || c == ':') && name.exists(!Character.isDigit(_))
    if ((own ne null) && !own.isEmpty) own
    else if (!isLabel) Collections.emptyList
    else
      try Collections.singletonList(new SNIHostName(name))
      catch { case _: IllegalArgumentException => Collections.emptyList } // no host has that name
  }

  /** The JDK keeps sessions by name and port. With ports that do not come again it finds none. */
  private def unusedPort(): Int = unused.incrementAndGet()
  private val unused            = new java.util.concurrent.atomic.AtomicInteger(1 << 16)

  private final val Https = "HTTPS"
}

private[tls] object JdkContexts {
  def context(provider: Provider, keys: Array[KeyManager], trust: Array[TrustManager]): SSLContext =
    try {
      val context =
        if (provider eq null) SSLContext.getInstance("TLS") else SSLContext.getInstance("TLS", provider)
      context.init(keys, if (trust.isEmpty) null else trust, null)
      context
    } catch {
      case e: GeneralSecurityException => throw new IOException(s"TLS is not available: ${Pem.line(e)}", e)
    }

  /** Throws CertificateException if `check` does not accept the chain's first certificate. */
  def accepted(check: CertificateInfo => Boolean)(chain: Array[X509Certificate]): Unit = {
    val isAccepted =
      try check(Certificates.info(chain(0)))
      catch {
        case Survivable(e) => throw new CertificateException(s"${TlsFailure.Refused}, which threw $e", e)
      }
    if (!isAccepted) throw new CertificateException(TlsFailure.Refused)
  }

  /** The versions and ciphers of a profile, as far as `context` supports them, and ALPN. */
  def parameters(context: SSLContext, profile: TlsProfile, protocols: Seq[String]): SSLParameters = {
    val known   = context.getSupportedSSLParameters
    val made    = context.getDefaultSSLParameters
    val ciphers = TlsProfile.ciphers(profile).filter(known.getCipherSuites.contains)
    made.setCipherSuites(ciphers.toArray)
    made.setUseCipherSuitesOrder(true)
    made.setProtocols(profile match {
      case TlsProfile.Modern       => Array("TLSv1.3")
      case TlsProfile.Intermediate => Array("TLSv1.3", "TLSv1.2")
    })
    made.setApplicationProtocols(protocols.toArray)
    made.setAlgorithmConstraints(KeyStrength)
    limitGroups(made)
    made
  }

  private val Groups = Array("x25519", "secp256r1", "secp384r1")

  /** Before Java 20 a property of the whole program sets them, which is read when TLS is used first. */
  private def limitGroups(parameters: SSLParameters): Unit =
    if (setNamedGroups ne null) setNamedGroups.invoke(parameters, Groups): Unit
    else if (System.getProperty(GroupsProperty) eq null) {
      System.setProperty(GroupsProperty, Groups.mkString(",")); ()
    }

  private final val GroupsProperty = "jdk.tls.namedGroups"

  /** `SSLParameters.setNamedGroups`, which is there since Java 20; null before. */
  private val setNamedGroups: MethodHandle =
    try
      MethodHandles.publicLookup.findVirtual(
        classOf[SSLParameters],
        "setNamedGroups",
        MethodType.methodType(classOf[Unit], classOf[Array[String]])
      )
    catch { case _: ReflectiveOperationException => null }
}
