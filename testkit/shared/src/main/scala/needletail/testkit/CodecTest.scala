package needletail.testkit

object CodecTest
