package needletail.io

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8

/** The first message of a client, made by hand (RFC 8446 section 4.1.2). */
object ClientHello {
  type Name = Array[Byte]

  def name(text: String): Name = text.getBytes(UTF_8)

  private def bytes(body: DataOutputStream => Unit): Array[Byte] = {
    val all = new ByteArrayOutputStream
    body(new DataOutputStream(all))
    all.toByteArray
  }

  /** The content of the extension server_name: each name with its length, all with theirs (RFC 6066 section 3). */
  def list(names: Name*): Array[Byte] = {
    val inner =
      bytes(out => names.foreach(n => { out.writeByte(0); out.writeShort(n.length); out.write(n) }))
    bytes { out => out.writeShort(inner.length); out.write(inner) }
  }

  /** In a record of its own, with the extensions that `extend` adds: their number, and their content. */
  def apply(ciphers: Seq[Int])(extend: ((Int, Array[Byte]) => Unit) => Unit): Array[Byte] = {
    val extensions = bytes { out =>
      extend { (kind, content) =>
        out.writeShort(kind)
        out.writeShort(content.length)
        out.write(content)
      }
    }
    val body = bytes { out =>
      out.writeShort(0x0303)
      out.write(new Array[Byte](32))
      out.writeByte(0)
      out.writeShort(2 * ciphers.size)
      ciphers.foreach(out.writeShort(_))
      out.writeShort(0x0100)
      out.writeShort(extensions.length)
      out.write(extensions)
    }
    bytes { out =>
      out.writeByte(22)
      out.writeShort(0x0301)
      out.writeShort(body.length + 4)
      out.writeInt(1 << 24 | body.length)
      out.write(body)
    }
  }
}
