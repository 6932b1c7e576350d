package needletail.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Eight octets of an array as one number, the first octet lowest, and octets copied; the caller sees to the bounds.
 * See Octets.
 */
final class Words {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Words() {}

  static long load(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  static void copy(byte[] source, int from, byte[] target, int at, int count) {
    System.arraycopy(source, from, target, at, count);
  }
}
