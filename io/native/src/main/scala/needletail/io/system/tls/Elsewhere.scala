package needletail.io.system.tls

import scala.scalanative.unsafe.*

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import needletail.io.platform.Socket

/**
 * Sockets of another platform than the system's, such as the simulation's, that are secured by OpenSSL: it knows them by
 * negative numbers.
 */
private[tls] object Elsewhere {
  private val sockets = new ConcurrentHashMap[Integer, Socket]
  private val last    = new AtomicInteger(-1)

  /** The number of `socket` until `forget`. */
  def number(socket: Socket): Int = {
    val number = last.decrementAndGet()
    sockets.put(number, socket)
    number
  }

  def forget(number: Int): Unit = { sockets.remove(number); () }

  /** To be called before a number is used. */
  lazy val use: Unit = OpenSslFunctions.divert(take, give, end)

  // What C calls. Nothing must be thrown through it.

  private val take: CFuncPtr3[CInt, Ptr[Byte], CInt, CInt] =
    CFuncPtr3.fromScalaFunction((number: CInt, to: Ptr[Byte], count: CInt) =>
      try {
        val bytes = new Array[Byte](count)
        val n     = sockets.get(number).read(bytes, 0, count)
        var i     = 0
        while (i < n) {
          to(i) = bytes(i)
          i += 1
        }
        if (n > 0) n else if (n < 0) 0 else -NothingNow
      } catch { case _: IOException => -ConnectionReset }
    )

  private val give: CFuncPtr3[CInt, Ptr[Byte], CInt, CInt] =
    CFuncPtr3.fromScalaFunction((number: CInt, from: Ptr[Byte], count: CInt) =>
      try {
        val bytes = new Array[Byte](count)
        var i     = 0
        while (i < count) {
          bytes(i) = from(i)
          i += 1
        }
        sockets.get(number).write(bytes, 0, count)
      } catch { case _: IOException => -BrokenPipe }
    )

  private val end: CFuncPtr1[CInt, CInt] =
    CFuncPtr1.fromScalaFunction((number: CInt) =>
      try {
        sockets.get(number).shutdownOutput()
        0
      } catch { case _: IOException => -BrokenPipe }
    )

  // As in Linux' errno.h.
  private final val NothingNow      = 11  // EAGAIN
  private final val BrokenPipe      = 32  // EPIPE
  private final val ConnectionReset = 104 // ECONNRESET
}
