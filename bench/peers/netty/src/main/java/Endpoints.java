import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;

import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes as the requests come, flushes once for everything that one read brought. */
final class Endpoints extends ChannelInboundHandlerAdapter {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] HELLO = "Hello, World!".getBytes(StandardCharsets.US_ASCII);
  private static final ByteBuf HELLO_BUFFER =
      Unpooled.unreleasableBuffer(Unpooled.directBuffer(HELLO.length).writeBytes(HELLO)).asReadOnly();
  private static final AsciiString HELLO_LENGTH = AsciiString.cached(String.valueOf(HELLO.length));
  private static final String BIG_PATH = "/big?bytes=1048576";
  private static final ByteBuf BIG = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(new byte[1 << 20])).asReadOnly();
  private static final AsciiString BIG_LENGTH = AsciiString.cached(String.valueOf(1 << 20));
  private static final AsciiString SERVER = AsciiString.cached("netty");

  private static final DateTimeFormatter DATE_FORMAT =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

  // There is one event loop, so plain statics are enough. The date is rendered once a second.
  private static long dateSecond;
  private static AsciiString date = AsciiString.EMPTY_STRING;

  private boolean echoing;

  record Message(String message) {}

  private static AsciiString date() {
    long second = System.currentTimeMillis() / 1000;
    if (second != dateSecond) {
      date = AsciiString.cached(DATE_FORMAT.format(ZonedDateTime.now(ZoneOffset.UTC)));
      dateSecond = second;
    }
    return date;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object received) throws JsonProcessingException {
    if (received instanceof HttpRequest) {
      HttpRequest request = (HttpRequest) received;
      switch (request.uri()) {
        case "/plaintext":
          answer(context, HttpResponseStatus.OK, HELLO_BUFFER.duplicate(), HELLO_LENGTH, HttpHeaderValues.TEXT_PLAIN);
          break;
        case "/json":
          byte[] json = JSON.writeValueAsBytes(new Message("Hello, World!"));
          answer(context, HttpResponseStatus.OK, Unpooled.wrappedBuffer(json), String.valueOf(json.length),
              HttpHeaderValues.APPLICATION_JSON);
          break;
        case BIG_PATH:
          answer(context, HttpResponseStatus.OK, BIG.duplicate(), BIG_LENGTH, HttpHeaderValues.APPLICATION_OCTET_STREAM);
          break;
        case "/echo":
          beginEcho(context, request);
          break;
        default:
          answer(context, HttpResponseStatus.NOT_FOUND, Unpooled.EMPTY_BUFFER, "0", HttpHeaderValues.TEXT_PLAIN);
      }
    }
    if (received instanceof HttpContent && echoing) {
      if (received instanceof LastHttpContent) echoing = false;
      context.write(received, context.voidPromise());
    } else {
      ReferenceCountUtil.release(received);
    }
  }

  private void beginEcho(ChannelHandlerContext context, HttpRequest request) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers().set(HttpHeaderNames.SERVER, SERVER).set(HttpHeaderNames.DATE, date());
    String type = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
    if (type != null) head.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    long length = HttpUtil.getContentLength(request, -1L);
    if (length >= 0) HttpUtil.setContentLength(head, length);
    else HttpUtil.setTransferEncodingChunked(head, true);
    echoing = true;
    context.write(head, context.voidPromise());
  }

  private static void answer(
      ChannelHandlerContext context, HttpResponseStatus status, ByteBuf body, CharSequence length, CharSequence type) {
    DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
    response.headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(HttpHeaderNames.SERVER, SERVER)
        .set(HttpHeaderNames.DATE, date())
        .set(HttpHeaderNames.CONTENT_LENGTH, length);
    context.write(response, context.voidPromise());
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.flush();
  }

  // A peer that does not read stops us reading from it.
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    context.channel().config().setAutoRead(context.channel().isWritable());
    context.fireChannelWritabilityChanged();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
