package needletail.io.crypto

import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

/** Authentication codes (RFC 2104), by the JDK. */
private[needletail] object Hmac {

  /** The code of `bytes` with SHA-256: 32 bytes. The key must not be empty. */
  def sha256(key: Array[Byte], bytes: Array[Byte]): Array[Byte] = {
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(key, "HmacSHA256"))
    mac.doFinal(bytes)
  }
}
