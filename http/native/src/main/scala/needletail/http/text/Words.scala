package needletail.http.text

import scala.scalanative.annotation.alwaysinline
import scala.scalanative.libc.string.{memcpy, memmove}
import scala.scalanative.runtime.{fromRawPtr, ByteArray, Intrinsics}
import scala.scalanative.unsafe.*
import scala.scalanative.unsigned.*

/**
 * Loads eight bytes of an array as one number, the first byte lowest, and copies bytes. See Swar.
 *
 * The caller ensures the bounds: only `copy` checks them. The JVM's version does, and all tests run there too.
 * The supported processors are little-endian and allow unaligned loads.
 */
private[http] object Words {
  @alwaysinline def load(bytes: Array[Byte], at: Int): Long =
    Intrinsics.loadLong(bytes.asInstanceOf[ByteArray].atRawUnsafe(at))

  @alwaysinline def store(bytes: Array[Byte], at: Int, word: Long): Unit =
    Intrinsics.storeLong(bytes.asInstanceOf[ByteArray].atRawUnsafe(at), word)

  /** System.arraycopy checks the types of the arrays first, which costs more than copying a field line. */
  @alwaysinline def copy(source: Array[Byte], from: Int, target: Array[Byte], at: Int, count: Int): Unit =
    if (count > 0) {
      val last = from + count - 1 // access to both ends checks the bounds
      source.at(last)
      target.at(at + count - 1)
      memmove(target.at(at), source.at(from), count.toCSize)
      ()
    }

  /** Copies all of an array. */
  @alwaysinline def copyAll(source: Array[Byte], target: Array[Byte], at: Int): Unit = {
    memcpy(address(target, at), address(source, 0), source.length.toCSize)
    ()
  }

  @alwaysinline def mask(
      source: Array[Byte],
      from: Int,
      target: Array[Byte],
      at: Int,
      count: Int,
      key: Int
  ): Unit =
    TextLoops.mask(address(source, from), address(target, at), count, key)

  @alwaysinline private def address(bytes: Array[Byte], at: Int): Ptr[Byte] =
    fromRawPtr[Byte](bytes.asInstanceOf[ByteArray].atRawUnsafe(at))
}
