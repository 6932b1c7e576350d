/** Cask with its defaults: Undertow, handlers on its worker threads. */
object CaskServer extends cask.MainRoutes {
  override def host: String     = "127.0.0.1"
  override def port: Int        = sys.env("PORT").toInt
  override def verbose: Boolean = false

  private val server = "Server" -> "cask"

  @cask.get("/plaintext")
  def plaintext(): cask.Response[String] = cask.Response("Hello, World!", headers = Seq("Content-Type" -> "text/plain", server))

  @cask.getJson("/json")
  def json(): ujson.Value = ujson.Obj("message" -> "Hello, World!")

  @cask.post("/echo")
  def echo(request: cask.Request): cask.Response[Array[Byte]] =
    cask.Response(request.bytes, headers = Seq("Content-Type" -> "application/octet-stream", server))

  initialize()
}
