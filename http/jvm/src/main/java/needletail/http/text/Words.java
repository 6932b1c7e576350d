package needletail.http.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Eight bytes of an array as one number, the first byte lowest, and bytes copied; the caller sees to the bounds.
 * Internal to this module: public only because Java has no access for a package and those below it.
 */
public final class Words {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Words() {}

  public static long load(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  public static void store(byte[] bytes, int at, long word) {
    LONGS.set(bytes, at, word);
  }

  public static void copy(byte[] source, int from, byte[] target, int at, int count) {
    System.arraycopy(source, from, target, at, count);
  }

  public static void copyAll(byte[] source, byte[] target, int at) {
    System.arraycopy(source, 0, target, at, source.length);
  }

  public static void mask(byte[] source, int from, byte[] target, int at, int count, int key) {
    long word = (key & 0xffffffffL) | ((long) key << 32);
    int words = count & ~7;
    int i = 0;
    for (; i < words; i += 8) LONGS.set(target, at + i, (long) LONGS.get(source, from + i) ^ word);
    for (; i < count; i++) target[at + i] = (byte) (source[from + i] ^ (key >>> ((i & 3) << 3)));
  }
}
