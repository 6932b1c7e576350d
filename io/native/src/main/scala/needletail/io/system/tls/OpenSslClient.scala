package needletail.io.system.tls

import scala.scalanative.unsafe.*

import java.io.IOException
import java.util.Base64
import java.util.concurrent.atomic.AtomicLong

import needletail.io.platform.{Socket, TlsClientContext}
import needletail.io.tls.{TlsClientConfig, TlsTrust}

/**
 * A client's side of TLS. Throws an IOException that names the file and the error.
 *
 * @param sessionSeconds for how long after their full handshake its sessions are resumed
 */
private[io] final class OpenSslClient(
    config: TlsClientConfig,
    sessionSeconds: Int = OpenSslClient.SessionSeconds
) extends TlsClientContext {
  private val trusted = config.trust match {
    case TlsTrust.File(file) => Some(PemFile.certificates(file))
    case _                   => None
  }
  private val revoked   = config.revoked.map(new RevokedFile(_, None))
  private val own       = config.certificate.map(new OwnCertificate(_))
  private val pins      = config.pins.toArray.flatMap(Base64.getDecoder.decode(_))
  private val isChecked = config.trust != TlsTrust.Unchecked

  private val resumeSeconds = if (config.resume) sessionSeconds else 0

  private val id = OpenSslClient.ids.incrementAndGet()

  /** What its contexts are made of, so that those of other clients can be used that are made of the same. */
  @volatile private var content = new OpenSslClient.Content(
    config.copy(serverName = None),
    (trusted ++ revoked.map(_.file) ++ own.toSeq.flatMap(one => Seq(one.chain, one.key))).map(_.bytes).toSeq,
    Seq(revoked.flatMap(_.change), sessionSeconds)
  )

  // Errors in the files are reported now; if there are none, the library is loaded later.
  if (trusted.nonEmpty || revoked.nonEmpty || own.nonEmpty) OpenSslFunctions.release(make(null))

  /** @param model has read the system's certificates; null if there is none, and they are read here */
  private def make(model: Ptr[Byte]): Ptr[Byte] =
    OpenSslSettings.context(isServer = false, config.profile, resumeSeconds) { context =>
      if (isChecked) {
        OpenSslFunctions.verify(context, 1)
        if (model ne null) {
          if (OpenSslFunctions.shareTrust(context, model) == 0) throw OpenSsl.outOfMemory
        } else if (trusted.isEmpty) trustSystem(context)
        trusted.foreach(OpenSslSettings.trust(context, _))
        OpenSslSettings.revoked(context, revoked)
        if (pins.nonEmpty && OpenSslFunctions.pins(context, pins.at(0), pins.length / 32) == 0)
          throw OpenSsl.outOfMemory
      }
      own.foreach(OpenSslSettings.own(context, _))
      OpenSslSettings.protocols(context, config.protocols)
    }

  private def trustSystem(context: Ptr[Byte]): Unit = {
    val wrong = OpenSslFunctions.trustSystem(context)
    if (wrong ne null) throw new IOException(s"TLS is not available: ${fromCString(wrong)}")
  }

  /** How the model is made; None if nobody trusts whom the system trusts. */
  private def model: Option[() => Ptr[Byte]] =
    if (isChecked && trusted.isEmpty)
      Some(() => OpenSslSettings.context(isServer = false, config.profile, 0)(trustSystem))
    else None

  override def isPrepared: Boolean = contexts.isPrepared

  override def prepare(): Boolean = contexts.prepare()

  override def hasFailedSince(nanos: Long): Boolean = contexts.hasFailedSince(nanos)

  def over(socket: Socket, name: String, port: Int): Socket =
    try {
      OpenSsl.load()
      here(secure(_, socket, name, port))
    } catch {
      case e: Throwable =>
        socket.close()
        throw e
    }

  /** Runs `f` with a context for the calling thread. */
  private[tls] def here[A](f: Ptr[Byte] => A): A = contexts.here(f)

  private def contexts: OpenSslContexts = {
    val (known, its) = OpenSslClient.contexts(content, () => new OpenSslContexts(make, model))
    content = known
    its
  }

  private def secure(context: Ptr[Byte], plain: Socket, name: String, port: Int): Socket = {
    // for OpenSSL an empty name is none to check, and one with a leading dot is everybody below it
    if (isChecked && !TlsClientConfig.isName(name))
      throw new IOException("without the name or address of a server its certificate cannot be checked")
    Zone.acquire { implicit zone =>
      val key    = toCString(s"$id $name:$port") // sessions are its own, as those of any other client are
      val number = OpenSslSocket.numberOf(plain)
      val made   = OpenSslFunctions.open(context, number, toCString(name), key, if (isChecked) 1 else 0)
      if (made eq null) throw OpenSsl.outOfMemory
      new OpenSslSocket(plain, number, made, name, null, null, None)
    }
  }
}

private[io] object OpenSslClient {

  /** So many contents have contexts at a time: those that were used last. */
  private[tls] final val Most = 64

  /** A day, as with the JDK. */
  private final val SessionSeconds = 24 * 60 * 60

  private val ids = new AtomicLong

  private val used = new java.util.LinkedHashMap[Content, (Content, OpenSslContexts)](16, 0.75f, true)

  /**
   * The contexts of that content, and the object by which they are found soonest. Programs may make a client for each
   * call; nobody says when it is not used any more, and the garbage collector does not free its contexts.
   */
  private def contexts(of: Content, make: () => OpenSslContexts): (Content, OpenSslContexts) = synchronized {
    val known = used.get(of)
    if (known ne null) known
    else {
      val made = (of, make())
      used.put(of, made)
      if (used.size > Most) {
        val oldest   = used.entrySet.iterator
        val (_, its) = oldest.next().getValue
        oldest.remove()
        its.release()
      }
      made
    }
  }

  /** Settings, the content of the files that they name, and when sessions end. */
  private final class Content(
      val settings: TlsClientConfig,
      val files: Seq[Array[Byte]],
      val ends: Seq[Any]
  ) {
    override val hashCode: Int = files.foldLeft(settings.hashCode)(31 * _ + java.util.Arrays.hashCode(_))

    private def isLike(other: Content): Boolean =
      hashCode == other.hashCode && settings == other.settings && ends == other.ends && files.size == other.files.size &&
        files.zip(other.files).forall { case (a, b) => java.util.Arrays.equals(a, b) }

    override def equals(other: Any): Boolean = other match {
      case content: Content => (content eq this) || isLike(content)
      case _                => false
    }
  }
}
