package needletail.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Eight octets of an array as one number, the first octet lowest; the caller sees to the bounds. */
final class Words {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Words() {}

  static long load(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }
}
