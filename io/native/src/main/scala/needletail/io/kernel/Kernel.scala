package needletail.io.kernel

import scala.scalanative.annotation.alwaysinline
import scala.scalanative.runtime.{fromRawPtr, Intrinsics}
import scala.scalanative.unsafe.*

import java.io.IOException
import java.net.{BindException, ConnectException}
import java.nio.file.{AccessDeniedException, FileSystemException, NoSuchFileException}

/**
 * The functions of needletail_io.c, needletail_io_socket.c and needletail_io_poll.c, where they are documented. None is
 * marked blocking: those that wait inform the garbage collector themselves (needletail_waiting.h).
 */
@extern
@define("__SCALANATIVE_NEEDLETAIL_IO")
private[io] object Kernel {
  @name("needletail_io_message") def message(errno: CInt): CString = extern
  @name("needletail_io_kind") def kind(errno: CInt): CInt          = extern
  @name("needletail_io_close") def close(fd: CInt): CInt           = extern

  @name("needletail_io_read") def read(fd: CInt, to: Ptr[Byte], count: CInt): CInt     = extern
  @name("needletail_io_write") def write(fd: CInt, from: Ptr[Byte], count: CInt): CInt = extern
  @name("needletail_io_write_both")
  def writeBoth(fd: CInt, first: Ptr[Byte], firstCount: CInt, from: Ptr[Byte], count: CInt): CInt    = extern
  @name("needletail_io_fetch") def fetch(from: Ptr[Byte], lines: CInt): Unit                         = extern
  @name("needletail_io_pipe_read") def pipeRead(fd: CInt, to: Ptr[Byte], count: CInt): CInt          = extern
  @name("needletail_io_pipe_write") def pipeWrite(fd: CInt, from: Ptr[Byte], count: CInt): CInt      = extern
  @name("needletail_io_pipe_signal") def pipeSignal(): Unit                                          = extern
  @name("needletail_io_shutdown_output") def shutdownOutput(fd: CInt): CInt                          = extern
  @name("needletail_io_reset_on_close") def resetOnClose(fd: CInt): CInt                             = extern
  @name("needletail_io_probe_when_silent") def probeWhenSilent(fd: CInt, idleSeconds: CInt): CInt    = extern
  @name("needletail_io_unacknowledged") def unacknowledged(fd: CInt): CInt                           = extern
  @name("needletail_io_name") def name(fd: CInt, peer: CInt, name: Ptr[Long], path: Ptr[Byte]): CInt = extern

  @name("needletail_io_file_open") def fileOpen(path: CString): CInt = extern
  @name("needletail_io_file_read") def fileRead(
      file: CInt,
      to: Ptr[Byte],
      count: CInt,
      position: Long
  ): CInt =
    extern
  @name("needletail_io_file_size") def fileSize(file: CInt): Long                                = extern
  @name("needletail_io_file_fetch") def fileFetch(file: CInt, position: Long, count: CInt): CInt = extern
  @name("needletail_io_file_send")
  def fileSend(fd: CInt, file: CInt, position: Long, count: CInt): Long = extern

  @name("needletail_io_configure")
  def configure(
      fd: CInt,
      tcp: CInt,
      noDelay: CInt,
      keepAlive: CInt,
      sendBuffer: CInt,
      receiveBuffer: CInt
  ): CInt =
    extern

  @name("needletail_io_listen_tcp")
  def listenTcp(
      ip: Ptr[Byte],
      length: CInt,
      scope: CInt,
      port: CInt,
      backlog: CInt,
      reuseAddress: CInt,
      reusePort: CInt
  ): CInt = extern
  @name("needletail_io_listen_unix") def listenUnix(path: Ptr[Byte], length: CInt, backlog: CInt): CInt =
    extern
  @name("needletail_io_listens") def listens(fd: CInt): CInt                = extern
  @name("needletail_io_inherit") def inherit(fd: CInt): CInt                = extern
  @name("needletail_io_accept") def accept(fd: CInt, name: Ptr[Long]): CInt = extern
  @name("needletail_io_none_now") def noneNow(): CInt                       = extern

  @name("needletail_io_connect_tcp")
  def connectTcp(
      ip: Ptr[Byte],
      length: CInt,
      scope: CInt,
      port: CInt,
      from: Ptr[Byte],
      fromLength: CInt,
      fromScope: CInt
  ): CInt = extern
  @name("needletail_io_connect_unix") def connectUnix(path: Ptr[Byte], length: CInt): CInt = extern
  @name("needletail_io_connected") def connected(fd: CInt): CInt                           = extern

  @name("needletail_io_look_up")
  def lookUp(name: Ptr[Byte], found: Ptr[Byte], max: CInt): CInt = extern

  @name("needletail_io_allow_descriptors") def allowDescriptors(wanted: CInt): CInt = extern
  @name("needletail_io_open_descriptors") def openDescriptors(): CInt               = extern

  @name("needletail_io_poll_open") def pollOpen(): CInt = extern
  @name("needletail_io_poll_watch") def pollWatch(
      poll: CInt,
      fd: CInt,
      before: CInt,
      interest: CInt
  ): CInt = extern
  @name("needletail_io_poll_now") def pollNow(poll: CInt, events: Ptr[Long], max: CInt): CInt = extern
  @name("needletail_io_poll_wait")
  def pollWait(poll: CInt, events: Ptr[Long], max: CInt, timeoutMillis: CInt): CInt = extern
  @name("needletail_io_wake_open") def wakeOpen(): CInt                             = extern
  @name("needletail_io_wake") def wake(fd: CInt): CInt                              = extern

  @name("needletail_io_thread_nanos") def threadNanos(): Long = extern
  @name("needletail_io_thread_waits") def threadWaits(): Long = extern

  @name("needletail_io_signal_open") def signalOpen(): CInt                        = extern
  @name("needletail_io_signal_close") def signalClose(due: CInt): Unit             = extern
  @name("needletail_io_signal_unheard") def signalUnheard(is: CInt): Unit          = extern
  @name("needletail_io_signal_end") def signalEnd(number: CInt): Unit              = extern
  @name("needletail_io_signal_hang_up") def signalHangUp(): CInt                   = extern
  @name("needletail_io_signal_hang_up_end") def signalHangUpEnd(isDue: CInt): Unit = extern
  @name("needletail_io_signal_hang_up_again") def signalHangUpAgain(): Unit        = extern
  @name("needletail_io_signal_hung_up") def signalHungUp(): CInt                   = extern
  @name("needletail_io_signal_terminated") def signalTerminated(): CInt            = extern
  @name("needletail_io_signal_wake") def signalWake(number: CInt): Unit            = extern
  @name("needletail_io_signal_wait") def signalWait(): CInt                        = extern
}

private[io] object Prefetch {

  /**
   * Has the processor fetch `lines` cache lines of 64 bytes from an object on; null for none. What is created right
   * after an object usually lies behind it.
   */
  @alwaysinline def apply(from: AnyRef, lines: Int): Unit =
    if (from ne null) Kernel.fetch(fromRawPtr[Byte](Intrinsics.castObjectToRawPtr(from)), lines)
}

private[io] object KernelError {

  /** Returns `result`, or throws the exception for the error that it stands for. */
  def check(result: Int): Int = if (result >= 0) result else throw exception(result)

  /** The exception for an error of a file. */
  def ofFile(path: String, result: Int): IOException = {
    val text = fromCString(Kernel.message(-result))
    Kernel.kind(-result) match {
      case 4 => new NoSuchFileException(path, null, text)
      case 5 => new AccessDeniedException(path, null, text)
      case _ => new FileSystemException(path, null, text)
    }
  }

  def exception(result: Int): IOException = {
    val text = fromCString(Kernel.message(-result))
    Kernel.kind(-result) match {
      case 1     => new ConnectException(text)
      case 2 | 3 => new BindException(text)
      case _     => new KernelError(text)
    }
  }

  /** Whether the error is that another socket has the address. */
  def isAddressInUse(result: Int): Boolean = result < 0 && Kernel.kind(-result) == 3
}

/** Without a stack trace, which is expensive and of no use here: peers disconnect all the time. */
private[io] final class KernelError(text: String) extends IOException(text) {
  override def fillInStackTrace(): Throwable = this
}
