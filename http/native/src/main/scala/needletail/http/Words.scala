package needletail.http

import scala.scalanative.annotation.alwaysinline
import scala.scalanative.runtime.{ByteArray, Intrinsics}

/**
 * Eight octets of an array as one number, the first octet lowest; the caller sees to the bounds. A plain load:
 * the processors we build for are little-endian and take any alignment.
 */
private[http] object Words {
  @alwaysinline def load(bytes: Array[Byte], at: Int): Long =
    Intrinsics.loadLong(bytes.asInstanceOf[ByteArray].atRaw(at))
}
