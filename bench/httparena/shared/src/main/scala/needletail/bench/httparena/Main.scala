package needletail.bench.httparena

import java.io.IOException
import java.nio.file.{Files, Path, Paths}

import needletail.content.CompressionConfig
import needletail.examples.Options
import needletail.io.{Address, PollerKind, Tls, TlsServerConfig}
import needletail.server.{Server, ServerConfig}

/** The server for HttpArena. Without options it is what runs in the board's container. */
object Main {
  private val options =
    Options("httparena", "Serves the profiles of HttpArena: see bench/httparena/README.md.")
  private val host    = options.text("host", "*", "address to listen on")
  private val port    = options.int("port", 8080, "port for HTTP; 0 picks a free one", 0 to 65535)
  private val tlsPort = options.int("tls-port", 8081, "port for HTTPS; 0 picks a free one", 0 to 65535)
  private val dataset = options.text("dataset", "/data/dataset.json", "file of the items of /json")
  private val static  = options.text("static", "/data/static", "directory of the files below /static")
  private val cert    =
    options.text("cert", "/certs/server.crt", "certificate (PEM); no HTTPS if there is no such file")
  private val key     = options.text("key", "/certs/server.key", "its key (PEM)")
  private val workers =
    options.int("workers", 0, "event loops of each port; 0: one per processor", 0 to 1024)
  private val codings =
    options.text("codings", "br,gzip", "codings for /json, the preferred one first")
  private val level  = options.int("level", 5, "compression level: 1 (fast) to 9 (small)", 1 to 9)
  private val poller =
    options.choice("poller", PollerKind.Auto, "poller on Native: auto, epoll or io_uring", PollerKind.all)

  /** The board opens up to 16,384 connections; near the limit a server would begin to close idle ones. */
  private final val MaxConnections = 65536

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val plain = ServerConfig(
      address = Address.Tcp(chosen(host), chosen(port)),
      loops = chosen(workers),
      poller = chosen(poller),
      maxConnections = MaxConnections
    )
    val certificate = Paths.get(chosen(cert))
    try {
      val compression = CompressionConfig(chosen(codings).split(',').map(_.trim).toList, chosen(level))
      val routes = Profiles.routes(items(Paths.get(chosen(dataset))), Paths.get(chosen(static)), compression)
      val secure =
        if (!Files.isRegularFile(certificate)) None
        else
          Some(plain.copy(
            address = Address.Tcp(chosen(host), chosen(tlsPort)),
            tls = Some(Tls.server(TlsServerConfig(certificate, Paths.get(chosen(key)))))
          ))
      if (secure.isEmpty) println(s"no HTTPS: there is no $certificate")
      Server.runAll((plain +: secure.toList).map(Server(routes, _))*)
    } catch {
      case e @ (_: IOException | _: IllegalArgumentException) =>
        System.err.println(s"httparena: ${e.getMessage}")
        sys.exit(1)
    }
  }

  private def items(file: Path): Vector[Item] = {
    if (!Files.isRegularFile(file)) throw new IOException(s"there is no data set at $file")
    Item.all(Files.readAllBytes(file)).fold(problem => throw new IOException(s"$file: $problem"), identity)
  }
}
