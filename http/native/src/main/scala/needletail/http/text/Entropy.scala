package needletail.http.text

import java.io.{DataInputStream, FileInputStream}

/** Unpredictable random bytes, from the kernel: Scala Native's library has no SecureRandom. */
private[needletail] object Entropy {
  def fill(bytes: Array[Byte]): Unit = {
    val in = new DataInputStream(new FileInputStream("/dev/urandom"))
    try in.readFully(bytes)
    finally in.close()
  }
}
