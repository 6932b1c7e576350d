import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;

import java.io.File;
import java.net.InetSocketAddress;

/**
 * One event loop that accepts, reads and answers; the transport is the first argument, the port the second. With
 * TLS_CERT and TLS_KEY in the environment it speaks TLS, by the JDK's engine.
 */
public final class NettyServer {
  public static void main(String[] args) throws Exception {
    IoHandlerFactory handler;
    Class<? extends ServerChannel> channel;
    switch (args[0]) {
      case "epoll":
        handler = EpollIoHandler.newFactory();
        channel = EpollServerSocketChannel.class;
        break;
      case "io_uring":
        handler = IoUringIoHandler.newFactory();
        channel = IoUringServerSocketChannel.class;
        break;
      default:
        handler = NioIoHandler.newFactory();
        channel = NioServerSocketChannel.class;
    }
    SslContext tls = secured();
    MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, handler);
    new ServerBootstrap()
        .group(loop)
        .channel(channel)
        .option(ChannelOption.SO_BACKLOG, 4096)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel connection) {
            if (tls != null) connection.pipeline().addLast(tls.newHandler(connection.alloc()));
            connection.pipeline().addLast(new HttpServerCodec(), new Endpoints());
          }
        })
        .bind(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[1])))
        .sync()
        .channel()
        .closeFuture()
        .sync();
  }

  private static SslContext secured() throws Exception {
    String certificate = System.getenv("TLS_CERT");
    if (certificate == null) return null;
    return SslContextBuilder.forServer(new File(certificate), new File(System.getenv("TLS_KEY")))
        .sslProvider(SslProvider.JDK)
        .protocols("TLSv1.3", "TLSv1.2")
        .build();
  }
}
