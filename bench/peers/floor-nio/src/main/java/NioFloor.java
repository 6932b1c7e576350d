import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The floor of java.nio: one selector, one direct buffer in, one prefilled direct buffer out. Finds the ends of the heads and
 * writes one fixed answer for each, all the answers to one read at once. Not an HTTP server.
 */
public final class NioFloor {
  private static final int COPIES = 256; // answers that one write can carry
  private static final ByteBuffer in = ByteBuffer.allocateDirect(64 * 1024);
  private static ByteBuffer answers;
  private static int length; // of one answer

  /** last: the previous four bytes; owed: bytes of responses still to be written. */
  private static final class Connection {
    int last;
    long owed;
  }

  public static void main(String[] args) throws IOException {
    prepare();
    Selector selector = Selector.open();
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.configureBlocking(false);
    listener.bind(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 4096);
    SelectionKey accepting = listener.register(selector, SelectionKey.OP_ACCEPT);
    while (true) {
      selector.select(key -> {
        if (key == accepting) accept(listener, selector);
        else serve(key);
      });
    }
  }

  private static void prepare() {
    String date = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).format(ZonedDateTime.now(ZoneOffset.UTC));
    byte[] answer = ("HTTP/1.1 200 OK\r\nServer: floor\r\nDate: " + date
        + "\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!").getBytes(StandardCharsets.US_ASCII);
    length = answer.length;
    answers = ByteBuffer.allocateDirect(length * COPIES);
    for (int i = 0; i < COPIES; i++) answers.put(answer);
  }

  private static void accept(ServerSocketChannel listener, Selector selector) {
    try {
      SocketChannel channel = listener.accept();
      if (channel == null) return;
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.register(selector, SelectionKey.OP_READ, new Connection());
    } catch (IOException ignored) {
      // The peer has gone again: there is nothing to serve.
    }
  }

  private static void serve(SelectionKey key) {
    SocketChannel channel = (SocketChannel) key.channel();
    Connection connection = (Connection) key.attachment();
    try {
      boolean owing = connection.owed > 0;
      if (!owing) {
        in.clear();
        int n = channel.read(in);
        if (n < 0) {
          channel.close();
          return;
        }
        connection.owed += (long) countHeads(connection, n) * length;
      }
      flush(channel, connection);
      if (owing != connection.owed > 0) key.interestOps(connection.owed > 0 ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    } catch (IOException reset) {
      try {
        channel.close();
      } catch (IOException ignored) {
        // Closed is what it should be.
      }
    }
  }

  // CR LF CR LF as one int. All bytes of a head are below 0x80, so the sign of a byte does not matter.
  private static int countHeads(Connection connection, int n) {
    int found = 0, last = connection.last;
    for (int i = 0; i < n; i++) {
      last = last << 8 | in.get(i);
      if (last == 0x0D0A0D0A) found++;
    }
    connection.last = last;
    return found;
  }

  private static void flush(SocketChannel channel, Connection connection) throws IOException {
    while (connection.owed > 0) {
      int from = (int) ((length - connection.owed % length) % length); // a short write may have ended inside an answer
      answers.limit((int) Math.min(answers.capacity(), from + connection.owed)).position(from);
      int n = channel.write(answers);
      if (n == 0) return;
      connection.owed -= n;
    }
  }
}
