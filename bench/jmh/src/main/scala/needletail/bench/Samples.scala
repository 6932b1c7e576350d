package needletail.bench

/** Request heads as clients send them. */
private[bench] object Samples {
  val load: String =
    "GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: text/plain,application/json;q=0.9,*/*;q=0.8\r\n\r\n"

  val browser: String = List(
    "GET /shop/orders/4711?page=2&sort=date HTTP/1.1",
    "Host: www.example.org",
    "Connection: keep-alive",
    "Cache-Control: max-age=0",
    "sec-ch-ua-platform: \"Linux\"",
    "Upgrade-Insecure-Requests: 1",
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "Sec-Fetch-Site: same-origin",
    "Sec-Fetch-Mode: navigate",
    "Sec-Fetch-User: ?1",
    "Sec-Fetch-Dest: document",
    "Referer: https://www.example.org/shop/orders",
    "Accept-Encoding: gzip, deflate, br, zstd",
    "Accept-Language: en-GB,en;q=0.9,de;q=0.8",
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; seen=1",
    "",
    ""
  ).mkString("\r\n")
}
