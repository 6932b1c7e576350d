package needletail.io

import java.io.IOException
import java.nio.file.{Files, Path}
import java.util.Arrays

import needletail.io.file.SmallFile
import needletail.io.platform.{Socket, TlsServerContext}
import needletail.io.tls.{AuthorityExpiry, CertificateInfo, ListExpiry, RepeatedFailure, TlsCounts, TlsLimits}

/**
 * The certificates of a server and how it uses them; made by `Tls.server`. Thread-safe, for any number of servers.
 *
 * @param limits on handshakes
 * @param load   reads the files
 * @param files  what `load` reads
 * @param checkNanos how often a server looks whether they have changed; 0: never
 */
final class TlsIdentity private[needletail] (
    val limits: TlsLimits,
    load: () => TlsServerContext,
    files: Seq[Path],
    private[needletail] val checkNanos: Long = 0
) {
  private var seen = stamps() // before it is loaded, so that no change is missed
  @volatile private var present: TlsServerContext = load()
  private var used                                = seen          // those of the files that are in use
  @volatile private var latest                    = Seq.empty[Path]
  private var hasFailed                           = false         // whether the last `reload` did
  private var triedAt                             = Long.MinValue // by `reloadIfDue`; MinValue: never

  /** What is in the log of one of its servers. */
  private[needletail] val failures = new RepeatedFailure(TlsIdentity.RepeatNanos)

  /** Counts of the handshakes of all its servers. */
  val counts: TlsCounts = new TlsCounts

  /** The certificates in use, in the order of the configuration; empty for an identity from an `SSLContext`. */
  def certificates: Seq[CertificateInfo] = present.certificates

  /** When the first of the certificates expires, in milliseconds since 1970; None if they are not known. */
  def expiry: Option[Long] = certificates.map(_.notAfter).minOption

  /**
   * When the first of the lists of revoked certificates expires, whereupon clients are rejected, in milliseconds since
   * 1970; None without lists, or if none of them says so.
   */
  def revocationExpiry: Option[Long] = lists.map(_.until).minOption

  private[needletail] def lists: Seq[ListExpiry] = present.lists

  private[needletail] def authorities: Seq[AuthorityExpiry] = present.authorities

  /** What is to be said of files that are used nevertheless. */
  private[needletail] def notices: Seq[String] = present.notices

  /** The certificates in use, each with where it is from, for messages; empty if that is not known. */
  private[needletail] def origins: Seq[(CertificateInfo, String)] = {
    val now = present
    now.certificates.zipAll(now.origins, null, "").filter(_._1 ne null)
  }

  /**
   * Reads all files again. New connections use the new certificates; existing ones keep theirs. Sessions
   * from before are not resumed. Blocks while it reads.
   *
   * @throws java.io.IOException with the invalid file and the reason; then nothing has changed
   */
  def reload(): Unit = synchronized {
    hasFailed = true
    seen = stamps()
    val former = present
    try present = replacing(former)
    catch {
      case e: Throwable =>
        counts.failedReload()
        throw e
    }
    restIfUnused()
    hasFailed = false
    latest = for ((file, (now, before)) <- files.zip(seen.zip(used)) if isOther(now, before)) yield file
    used = seen
    failures.forget()
    former.release()
    counts.reloaded()
  }

  private def replacing(former: TlsServerContext): TlsServerContext = {
    val made = load()
    try made.replaces(former)
    catch {
      case e: Throwable =>
        made.release()
        throw e
    }
    made
  }

  /** The files whose content the last `reload` that succeeded has replaced. */
  private[needletail] def reloaded: Seq[Path] = latest.distinct

  /**
   * Whether any of the files differs in time or content from when they were read last, be it in vain. Blocks while it
   * reads them.
   */
  def isOutdated: Boolean = synchronized(seen != stamps())

  /**
   * Reads the files, for a server that looks after them, if they have changed, or the last time was in vain, for a
   * reason that may have passed, such as a want of descriptors, and no other server has tried again since the interval.
   * Returns whether it has read them. Throws as `reload` does.
   *
   * @param now by a clock that its servers share, in nanoseconds
   */
  private[needletail] def reloadIfDue(now: Long): Boolean = synchronized {
    val isRecent = triedAt != Long.MinValue && now - triedAt < checkNanos
    val isDue    = isOutdated || hasFailed && !isRecent
    if (isDue) {
      triedAt = now
      reload()
    }
    isDue
  }

  private def isOther(now: (Long, Int, Int), before: (Long, Int, Int)): Boolean =
    now._2 != before._2 || now._3 != before._3

  /** With a hash of the content: natively times are whole seconds, and certificates are often of the same size. */
  private def stamps(): Seq[(Long, Int, Int)] = files.map { file =>
    try {
      val content = SmallFile.read(file, SmallFile.MostOfLists)
      (Files.getLastModifiedTime(file).toMillis, content.length, Arrays.hashCode(content))
    } catch { case _: IOException => (0L, -1, 0) }
  }

  private val using   = new Object // not this object's own lock: `reload` may take long
  private var servers = 0
  private var isLeft  = false      // whether there were servers, and the last one has ended

  /** A server begins to use it. */
  private[needletail] def attach(): Unit = using.synchronized {
    servers += 1
    isLeft = false
  }

  /** A server has ended. After the last one, keys and what else is kept for connections are freed until they are needed. */
  private[needletail] def detach(): Unit = using.synchronized {
    servers -= 1
    isLeft = servers == 0
    restIfUnused()
  }

  /** Also after a reload, which makes what the former had: its last server may have ended meanwhile. */
  private def restIfUnused(): Unit = using.synchronized(if (isLeft) present.rest())

  /** Counts of one server's handshakes, which are counted in `counts` as well. */
  private[needletail] def countsOfServer(): TlsCounts = new TlsCounts(counts)

  /** @param its counts, its own or a server's */
  private[needletail] def over(socket: Socket, toPlain: Array[Byte], its: TlsCounts = counts): Socket =
    present.over(socket, its, toPlain)
}

private[needletail] object TlsIdentity {
  private final val RepeatNanos = 3600L * 1000 * 1000 * 1000
}
