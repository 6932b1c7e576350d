package needletail.http

import scala.scalanative.annotation.alwaysinline
import scala.scalanative.libc.string.memmove
import scala.scalanative.runtime.{ByteArray, Intrinsics}
import scala.scalanative.unsafe.*
import scala.scalanative.unsigned.*

/**
 * Eight octets of an array as one number, the first octet lowest, and octets copied; the caller sees to the bounds.
 * See Octets. A plain load, which looks at no bound: the same calls are checked on the JVM, by all tests and for all
 * eight octets. The processors we build for are little-endian and take any alignment.
 */
private[http] object Words {
  @alwaysinline def load(bytes: Array[Byte], at: Int): Long =
    Intrinsics.loadLong(bytes.asInstanceOf[ByteArray].atRawUnsafe(at))

  /** System.arraycopy asks first what kind of arrays it was given, which costs more than to copy a line. */
  @alwaysinline def copy(source: Array[Byte], from: Int, target: Array[Byte], at: Int, count: Int): Unit =
    if (count > 0) {
      val last = from + count - 1 // both ends are looked up, and so within bounds
      source.at(last)
      target.at(at + count - 1)
      memmove(target.at(at), source.at(from), count.toCSize)
      ()
    }
}
