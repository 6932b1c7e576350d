package needletail.conformance.websocket

import needletail.websocket.PerMessageDeflate

/** `URL [--deflate [--deflate-takeover]]`: runs the cases of the test server at that ws:// URL, then ends. */
object Main {
  def main(args: Array[String]): Unit = args.toList match {
    case url :: flags if url.startsWith("ws://") && flags.forall(Set("--deflate", "--deflate-takeover")) =>
      val compression =
        if (flags.isEmpty) None
        else Some(PerMessageDeflate(minSize = 0, contextTakeover = flags.contains("--deflate-takeover")))
      new ClientCases(url.stripSuffix("/"), compression).run()
    case _ =>
      System.err.println("usage: ws://HOST:PORT [--deflate [--deflate-takeover]]")
      sys.exit(2)
  }
}
