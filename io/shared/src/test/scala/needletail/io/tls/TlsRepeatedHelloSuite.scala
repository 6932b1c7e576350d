package needletail.io.tls

/** Clients whose first key share is of a group that the server does not use: they repeat their ClientHello. */
class TlsRepeatedHelloSuite extends TlsPair {
  private lazy val shop = {
    val issued = authority.issue("DNS:shop.example", subject = "shopcn")
    TlsCertificate(issued.chain, issued.key)
  }
  private lazy val own = {
    val issued = authority.issue("DNS:client.example", subject = "clientcn")
    TlsCertificate(issued.chain, issued.key)
  }
  private def both: TlsServerConfig = TlsServerConfig(Seq(local, shop))

  for {
    (about, clients) <- Seq[(String, Option[() => TlsClientAuth])](
      "no certificates"                    -> None,
      "certificates, which they may have"  -> Some(() => TlsClientAuth(authority.file, required = false)),
      "certificates, which they must have" -> Some(() => TlsClientAuth(authority.file))
    )
    name <- Seq("here.test", "shop.example")
  } tlsTest(s"they resume sessions for $name where they are asked for $about") {
    answering(both.copy(clients = clients.map(_()))) { port =>
      val session   = authority.file("session").toString
      val arguments =
        Seq("-tls1_3", "-groups", "P-521:P-256", "-servername", name) ++
          Seq("-cert", own.chain.toString, "-key", own.key.toString)
      assert(!openSslClient(port, arguments ++ Seq("-sess_out", session)))
      assert(openSslClient(port, arguments ++ Seq("-sess_in", session)), "the session was not resumed")
    }
  }
}
