package needletail.io.platform

import java.io.IOException
import java.util.concurrent.Executor

import needletail.io.tls.{HandshakeFailure, TlsSession}

/** A connected or connecting stream, TCP or Unix, in non-blocking mode. Calls that fail throw java.io.IOException. */
private[needletail] abstract class Socket extends Descriptor {

  /**
   * A hint: these are used as soon as the next `read` has returned. Each may be null. A platform that can has the
   * processor fetch them into its cache meanwhile.
   */
  def fetch(handler: AnyRef, along: AnyRef, timer: AnyRef): Unit = ()

  /** One system call. Returns bytes read, 0 if there are none now, -1 at the end. */
  def read(bytes: Array[Byte], from: Int, count: Int): Int

  /**
   * The same, but a failure may also be returned as a number below -1, of which `failureOf` says at once what it is.
   * Natively an exception costs more than reading does: a twentieth of a TLS handshake, for each client that resets its
   * connection.
   */
  def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = read(bytes, from, count)

  /** What has failed when `tryRead` has returned this number. */
  def failureOf(result: Int): IOException = new IOException(s"reading failed: $result")

  /**
   * One system call (on the JVM one for each 256 KiB, with TLS for each 64). Returns bytes taken, 0 to `count`. With TLS,
   * if a later one of several fails, those taken before are returned, and further calls fail; a server's side takes
   * nothing before the handshake is complete.
   */
  def write(bytes: Array[Byte], from: Int, count: Int): Int

  /**
   * Writes the first `firstCount` bytes of one array and then those of another: where that is possible with one system
   * call, so that the peer is not woken for the first alone. Returns bytes taken of both, also if the second of two calls
   * fails: then the next one fails, too.
   */
  def writeBoth(first: Array[Byte], firstCount: Int, bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = write(first, 0, firstCount)
    if (n < firstCount) n
    else
      try n + write(bytes, from, count)
      catch { case e: IOException => if (n > 0) n else throw e }
  }

  /** Whether the system can send files through it, without TLS. */
  def sendsFiles: Boolean = false

  /**
   * Sends `count` bytes of a file from `position`, where it `sendsFiles`. Returns how many the kernel has taken; -1 if
   * the file has none there. Throws if either fails, or if the system cannot send such a file.
   */
  def send(file: DiskFile, position: Long, count: Int): Int = throw new UnsupportedOperationException

  /**
   * Whether it is connected. To be called after the readiness that it `awaits`; throws the error if connecting failed.
   */
  def finishConnect(): Boolean

  /** The readiness with which connecting continues: to write or, for TLS, either. */
  def awaits: Int = Interest.Write

  /** Whether it is secured by TLS. */
  def isSecure: Boolean = false

  /** What the TLS handshake has established; null before it is complete, and without TLS. */
  def session: TlsSession = null

  /** What a handshake is counted as that has failed. On a server's side of TLS only. */
  def handshakeFailure: HandshakeFailure = HandshakeFailure.Incomplete

  /** Whether it holds input for which no readiness will be reported. With TLS only. */
  def holdsInput: Boolean = false

  /** Bytes of input that it holds: an incomplete TLS record, or decrypted bytes that did not fit. */
  def heldBytes: Int = 0

  /**
   * Encrypted bytes that the network has taken, a count that only grows: it shows that the peer reads also where `write`
   * must not report another plain byte yet. With TLS only.
   */
  def encryptedTaken: Long = 0

  /**
   * Bytes that the kernel has taken and the peer has not acknowledged; -1 if unknown. It shows that the peer reads
   * where the kernel takes nothing further yet. Costs a system call.
   */
  def unacknowledged: Int = -1

  /** Whether the TLS handshake is not complete yet. */
  def isShakingHands: Boolean = false

  /**
   * In a handshake which goes on when the client sends more: how often the server has answered so far, by records of
   * its own. Records of the client do not count, as one may have a single byte. -1 if the client has sent nothing yet,
   * or nothing is expected of it now. On a server's side of TLS only.
   */
  def awaitedRecord: Int = -1

  /** Before it is closed, as its server does not make this handshake: that is what it counts as, and it is reset. */
  def refuseHandshake(): Unit = ()

  /** Whether the client has sent nothing yet; on a server's side of TLS only. */
  def isSilent: Boolean = false

  /**
   * Whether reading may compute a step of the handshake at once, which takes much longer than reading does. On a server's
   * side of TLS only.
   */
  def computesHandshake: Boolean = false

  /** Whether a step of the handshake is being computed on another thread. On a server's side of TLS only. */
  def isComputingHandshake: Boolean = false

  /**
   * Whether it has output of its own that the kernel has not taken. Then it reads nothing until `sendOwed`, or a
   * write, has sent that, unless that is the end of its output. With TLS only.
   */
  def owesOutput: Boolean = false

  /**
   * Whether `write` has taken less than it could as something has to come first: the rest of a message of the peer's after
   * the handshake. A read clears it; so does a further `write`, which takes that message by itself, as its owner may not
   * read at present. With TLS only.
   */
  def writesAfterInput: Boolean = false

  /**
   * The readiness to watch it for where its owner is interested in `bits`: nothing is read while it owes output, or
   * while a handshake is computed elsewhere, and nothing of its owner's is written while a server's handshake is not
   * complete. Only to read while it `writesAfterInput`. With TLS only.
   */
  def permitted(bits: Int): Int = bits

  /**
   * Handshakes may be computed by `threads`; null for the platform's own. `f`, run on any thread, makes its loop read
   * again: the handshake goes on. With TLS only.
   */
  def resumeBy(f: Runnable, threads: Executor): Unit = ()

  /** The socket whose bytes it encrypts, if that is another platform's; otherwise itself. */
  private[needletail] def carrier: Socket = this

  /**
   * To be called when `read` has failed: whether a client was told so by an alert, which the kernel has taken. From then on
   * bytes are read as they are, to be discarded. On a server's side of TLS only.
   */
  def tellsFailure(): Boolean = false

  /** Sends what the kernel takes of that output, with one system call. */
  def sendOwed(): Unit = ()

  /** Sends the end of the stream; with TLS as far as the kernel takes it now, the rest is owed. */
  def shutdownOutput(): Unit

  /** SO_LINGER 0: closing drops what is queued and sends RST. */
  def resetOnClose(): Unit

  def configure(options: ConnectionOptions): Unit

  /**
   * SO_KEEPALIVE: makes the kernel probe a peer that has been silent for `idleSeconds`, and give up after three probes
   * without an answer, a third of that time apart. Does nothing if the protocol does not have it.
   */
  def probeWhenSilent(idleSeconds: Int): Unit = ()

  /** The peer's address in the form of AddressText, a Unix path, or `""` if there is none. */
  def remoteAddress: String
  def localAddress: String
}
