package needletail.content.file

import java.io.IOException
import java.nio.file.{Files, InvalidPathException, Path}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import needletail.async.{Async, Loop}
import needletail.content.conditional.EntityTag
import needletail.io.file.RealPath
import needletail.stream.stage.OpenFile

/**
 * The files of a directory, of which those used lately are known. The disk is looked at on threads for blocking work
 * only. Shared by all loops.
 */
private[file] final class FileStore(root: Path, config: FileConfig) {
  private val known         = new ConcurrentHashMap[String, StoredFile]
  private val weight        = new AtomicLong
  private val openFiles     = new AtomicInteger
  private val openFileCache = new OpenFileCache(config.keptOpen)
  private val fresh         = config.freshness.toNanos

  /** The file or directory at a path of safe segments. */
  def find(segments: List[String]): Async[Found] = {
    val key   = segments.mkString("/")
    val found = known.get(key)
    val now   = Loop.nanoTime()
    if (found == null) Async.blocking(load(key, segments, now, null))
    else {
      found.used = true
      if (now - found.checked < fresh) Async.value(found)
      else {
        found.checked = now // others go on with it while this one looks
        Async.blocking(load(key, segments, now, found))
      }
    }
  }

  /** The same, ignoring the known state. */
  def findAgain(segments: List[String]): Async[Found] = {
    val now = Loop.nanoTime()
    Async.blocking(load(segments.mkString("/"), segments, now, null))
  }

  /** Its content; opened when it is first read. */
  def open(version: FileVersion): OpenFile[ReadableFile] =
    new OpenFile[ReadableFile](() => version.open(openFiles, config.maxOpen))

  /** What of a file that is to be sent from `from` on is open and in memory; null if nothing is. */
  def lease(version: FileVersion, from: Long, until: Long): Lease =
    version.lease(from, until, Loop.nanoTime())

  /** Whether a file can be sent without waiting for a thread. If not, a thread prepares it for later requests. */
  def isAtHand(variant: Variant): Boolean = openFileCache.isAllowed && {
    val version = variant.version
    val now     = Loop.nanoTime()
    version.isAtHand(0, now) || {
      if (variant.content != null && now - version.preparedAt > FileStore.Again) {
        version.preparedAt = now
        val loop  = Loop.current
        val ahead = now - System.nanoTime()
        Async.blocking {
          val file = version.open(openFiles, config.maxOpen)
          try file.fetch(0, version.status.size, FileContent.MostAhead, System.nanoTime() + ahead, loop)
          finally file.close()
        }
      }
      false
    }
  }

  /** The number of files that stay open for later requests. */
  def keptOpen: Int = openFileCache.size

  /** The number of files that are open. */
  def opened: Int = openFiles.get

  /** Bytes that are known. */
  private[file] def held: Long = weight.get

  /** The current state: `before` if it has not changed. */
  private def load(key: String, segments: List[String], now: Long, before: StoredFile): Found = {
    val found =
      try locate(segments) match {
          case Right(located) => if (before != null && before.isAt(located)) before else read(located, now)
          case Left(other)    => other
        }
      catch { case _: IOException | _: InvalidPathException => Found.Nothing }
    found match {
      case file: StoredFile => if (file ne before) keep(key, file)
      case _                => forget(key)
    }
    found
  }

  private def locate(segments: List[String]): Either[Found, Located] = {
    val base = RealPath.of(root)
    val path =
      if (base == null) null else RealPath.of(segments.filter(_.nonEmpty).foldLeft(base)(_.resolve(_)))
    val slash = segments.nonEmpty && segments.last.isEmpty
    if (path == null || !isWithin(base, path)) Left(Found.Nothing)
    else if (Files.isDirectory(path))
      if (!slash && segments.nonEmpty) Left(Found.Directory)
      else
        config.index.iterator.map(name => file(base, path.resolve(name))).find(
          _ != null
        ).toRight(Found.Nothing)
    else if (slash) Left(Found.Nothing)
    else Option(file(base, path)).toRight(Found.Nothing)
  }

  /** A link may lead to another place of the directory, but not out of it, and not to hidden files. */
  private def isWithin(base: Path, path: Path): Boolean =
    path.startsWith(base) && {
      val below = base.relativize(path)
      path == base || (0 until below.getNameCount).forall(i =>
        SafePath.isName(below.getName(i).toString, config.hidden)
      )
    }

  /** The file and its precompressed variants, without their content. Null if there is no regular file. */
  private def file(base: Path, path: Path): Located = {
    val name   = base.relativize(path).toString.replace('\\', '/')
    val itself = if (config.filter(name)) version(base, path) else null
    if (itself == null) null
    else {
      val prepared = config.precompressed.map { coding =>
        (coding, version(base, path.resolveSibling(path.getFileName.toString + FileConfig.suffixes(coding))))
      }
      new Located(name, (null, itself) :: prepared.filter(_._2 != null))
    }
  }

  private def version(base: Path, path: Path): FileVersion = {
    val real   = RealPath.of(path)
    val status = if (real == null || !isWithin(base, real)) null else FileStatus.of(real)
    if (status == null || !status.isRegular || !Files.isReadable(real)) null
    else new FileVersion(real, status, openFileCache)
  }

  private def read(located: Located, now: Long): StoredFile = {
    val file =
      new StoredFile(located.versions.map { case (coding, version) => variant(version, coding) }, now)
    file.describe(located.name, config)
    file
  }

  private def variant(version: FileVersion, coding: String): Variant = {
    val status  = version.status
    val size    = status.size
    val content =
      if (size > config.cachedFile || size > config.cacheSize) null
      else {
        val file = version.open(openFiles, config.maxOpen)
        try file.read(0, size.toInt)
        finally file.close()
      }
    if (content != null && (content.length != size || !version.isStill)) throw FileVersion.Changed
    val second = Math.floorDiv(status.modified, 1000000000L)
    val tag    = if (content != null) FileStore.tagOf(content) else FileStore.tagOf(status)
    new Variant(
      coding,
      size,
      EntityTag(if (coding == null) tag else s"$tag-$coding"),
      if (second <= System.currentTimeMillis() / 1000) second
      else -1, // never in the future (RFC 9110 §8.8.2.1)
      version,
      content
    )
  }

  private def keep(key: String, file: StoredFile): Unit = {
    val before = known.put(key, file)
    weight.addAndGet(file.weight - (if (before == null) 0 else before.weight))
    // entries that were not used since the last time are removed
    var rounds = 0
    while (weight.get > config.cacheSize && rounds < 2) {
      val all = known.entrySet.iterator
      while (all.hasNext && weight.get > config.cacheSize) {
        val entry = all.next()
        if (entry.getValue.used) entry.getValue.used = false else drop(entry.getKey, entry.getValue)
      }
      rounds += 1
    }
  }

  private def forget(key: String): Unit = {
    val before = known.get(key)
    if (before != null) drop(key, before)
  }

  private def drop(key: String, file: StoredFile): Unit =
    if (known.remove(key, file)) { weight.addAndGet(-file.weight); () }
}

private object FileStore {

  /** The interval between attempts to prefetch a file, in nanoseconds. */
  private final val Again = 1000L * 1000 * 1000

  /**
   * A tag by the content: its length, and its FNV-1a hash of 64 bits. So it is the same on all machines, and another one
   * for a file of the same time and length.
   */
  def tagOf(content: Array[Byte]): String = {
    var hash = 0xcbf29ce484222325L
    var i    = 0
    while (i < content.length) {
      hash = (hash ^ (content(i) & 0xff)) * 0x100000001b3L
      i += 1
    }
    hex(hash) + "-" + hex(content.length.toLong)
  }

  /** A tag of a file that is not read as a whole: its time and size can be set and kept, that of its status cannot. */
  private def tagOf(status: FileStatus): String =
    hex(status.modified) + "-" + hex(status.size) + "-" + hex(status.changed)

  private def hex(n: Long): String = java.lang.Long.toHexString(n)
}
