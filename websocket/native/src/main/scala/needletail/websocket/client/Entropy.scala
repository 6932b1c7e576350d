package needletail.websocket.client

import java.io.{DataInputStream, FileInputStream}

/** Bytes that nobody can guess, from the kernel: Scala Native's library has no SecureRandom. */
private[websocket] object Entropy {
  def fill(bytes: Array[Byte]): Unit = {
    val in = new DataInputStream(new FileInputStream("/dev/urandom"))
    try in.readFully(bytes)
    finally in.close()
  }
}
