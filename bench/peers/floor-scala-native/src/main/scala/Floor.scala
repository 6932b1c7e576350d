import java.nio.charset.StandardCharsets.US_ASCII

import scala.scalanative.posix.errno.EAGAIN
import scala.scalanative.libc.errno.errno
import scala.scalanative.unsafe._
import scala.scalanative.unsigned._

@extern
private object c {
  def epoll_create1(flags: CInt): CInt = extern
  // Can wait: marked, so that the collector need not wait for it.
  @blocking def epoll_wait(epoll: CInt, events: Ptr[Byte], most: CInt, milliseconds: CInt): CInt = extern
  def recv(fd: CInt, into: Ptr[Byte], size: CSize, flags: CInt): CSSize  = extern
  def send(fd: CInt, from: Ptr[Byte], size: CSize, flags: CInt): CSSize  = extern
  def close(fd: CInt): CInt = extern

  def floor_listen(port: CInt): CInt                                       = extern
  def floor_accept(listener: CInt): CInt                                   = extern
  def floor_interest(epoll: CInt, fd: CInt, add: CInt, writing: CInt): CInt = extern
  def floor_event_size(): CInt                                             = extern
  def floor_no_signal(): CInt                                              = extern
  def floor_date(): CString                                                = extern
}

/** `last`: the previous four bytes; `owed`: bytes of responses still to be written. */
private final class Connection(val fd: Int) {
  var last: Int  = 0
  var owed: Long = 0
}

/** The floor of Scala Native: one epoll loop that receives in place into an `Array[Byte]`, finds the ends of the heads and
  * writes one fixed answer for each, all the answers to one read at once. Not an HTTP server.
  */
object Floor {
  private val copies      = 256 // answers that one write can carry
  private val in          = new Array[Byte](64 * 1024)
  private val answer      = fixed
  private val answers     = Array.fill(copies)(answer).flatten
  private val connections = new Array[Connection](32 * 1024)
  private val noSignal    = c.floor_no_signal()

  private def fixed: Array[Byte] = {
    val date = fromCString(c.floor_date())
    val head = s"HTTP/1.1 200 OK\r\nServer: floor\r\nDate: $date\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\n"
    (head + "Hello, World!").getBytes(US_ASCII)
  }

  def main(arguments: Array[String]): Unit = {
    val listener = c.floor_listen(arguments(0).toInt)
    if (listener < 0) sys.exit(1)
    val epoll     = c.epoll_create1(0)
    val eventSize = c.floor_event_size()
    val events    = new Array[Byte](512 * eventSize)
    c.floor_interest(epoll, listener, 1, 0)
    while (true) {
      val n = c.epoll_wait(epoll, events.at(0), 512, -1)
      var i = 0
      while (i < n) {
        // struct epoll_event: 32 bits of flags, then the descriptor in the low half of its data; packed on x86-64 only.
        val data = events.at(i * eventSize + (if (eventSize == 12) 4 else 8)).asInstanceOf[Ptr[Int]]
        val fd   = !data
        if (fd == listener) accept(epoll, listener) else serve(epoll, connections(fd))
        i += 1
      }
    }
  }

  private def accept(epoll: Int, listener: Int): Unit = {
    val fd = c.floor_accept(listener)
    if (fd >= 0) {
      connections(fd) = new Connection(fd)
      c.floor_interest(epoll, fd, 1, 0)
    }
  }

  private def serve(epoll: Int, connection: Connection): Unit = {
    val owing = connection.owed > 0
    val alive =
      if (owing) flush(connection)
      else {
        val n = c.recv(connection.fd, in.at(0), in.length.toCSize, 0).toInt
        if (n > 0) {
          connection.owed += countHeads(connection, n).toLong * answer.length
          flush(connection)
        } else n < 0 && errno == EAGAIN
      }
    if (!alive) {
      c.close(connection.fd)
      connections(connection.fd) = null
    } else if (owing != connection.owed > 0) c.floor_interest(epoll, connection.fd, 0, if (connection.owed > 0) 1 else 0)
  }

  // CR LF CR LF as one int. All bytes of a head are below 0x80, so the sign of a byte does not matter.
  private def countHeads(connection: Connection, n: Int): Int = {
    var found = 0
    var last  = connection.last
    var i     = 0
    while (i < n) {
      last = last << 8 | in(i)
      if (last == 0x0d0a0d0a) found += 1
      i += 1
    }
    connection.last = last
    found
  }

  private def flush(connection: Connection): Boolean = {
    var alive = true
    var room  = true
    while (alive && room && connection.owed > 0) {
      val from = ((answer.length - connection.owed % answer.length) % answer.length).toInt // a short write may end inside one
      val size = math.min(connection.owed, (answers.length - from).toLong)
      val n    = c.send(connection.fd, answers.at(from), size.toCSize, noSignal).toLong
      if (n >= 0) connection.owed -= n
      else if (errno == EAGAIN) room = false
      else alive = false
    }
    alive
  }
}
