package needletail.io.crypto

import needletail.testing.Suite

/** Codes and ciphers of both platforms against published vectors. */
class CryptoSuite extends Suite {
  private def hex(bytes: Array[Byte]): String  = bytes.map(b => f"${b & 0xff}%02x").mkString
  private def bytes(text: String): Array[Byte] = text.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
  private val nothing                          = new Array[Byte](0)

  test("HMAC-SHA256, RFC 4231") {
    assertEquals(
      hex(Hmac.sha256(Array.fill(20)(0x0b), "Hi There".getBytes)),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    )
    assertEquals(
      hex(Hmac.sha256("Jefe".getBytes, "what do ya want for nothing?".getBytes)),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
    assertEquals(
      hex(Hmac.sha256(
        Array.fill(131)(0xaa.toByte),
        "Test Using Larger Than Block-Size Key - Hash Key First".getBytes
      )),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    )
    assertEquals(
      hex(Hmac.sha256(Array[Byte](0), nothing)),
      "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
    )
  }

  test("AES-256-GCM, the test cases of its specification") {
    val zero = new Array[Byte](32)
    val iv   = new Array[Byte](12)
    assertEquals(hex(AesGcm.encrypt(zero, iv, nothing, nothing)), "530f8afbc74536b9a963b4f1c4cb738b")
    assertEquals(
      hex(AesGcm.encrypt(zero, iv, nothing, new Array[Byte](16))),
      "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
    )
    val key   = bytes("feffe9928665731c6d6a8f9467308308" * 2)
    val nonce = bytes("cafebabefacedbaddecaf888")
    val about = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    val plain = bytes(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" +
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    val encrypted = AesGcm.encrypt(key, nonce, about, plain)
    assertEquals(
      hex(encrypted),
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa" +
        "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"
    )
    assertEquals(AesGcm.decrypt(key, nonce, about, encrypted).map(hex), Some(hex(plain)))
    val empty = AesGcm.encrypt(key, nonce, nothing, nothing)
    assertEquals(AesGcm.decrypt(key, nonce, nothing, empty).map(_.length), Some(0))
    for (i <- Seq(0, 59, 60, 75)) {
      val changed = encrypted.clone
      changed(i) = (changed(i) ^ 1).toByte
      assertEquals(AesGcm.decrypt(key, nonce, about, changed), None)
    }
    assertEquals(AesGcm.decrypt(key, nonce, nothing, encrypted), None)
    assertEquals(AesGcm.decrypt(zero, nonce, about, encrypted), None)
    assertEquals(AesGcm.decrypt(key, iv, about, encrypted), None)
    assertEquals(AesGcm.decrypt(key, nonce, about, encrypted.take(15)), None)
  }
}
