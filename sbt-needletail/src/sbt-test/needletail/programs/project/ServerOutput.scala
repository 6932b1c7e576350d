import java.net.URI
import java.security.cert.X509Certificate
import java.util.concurrent.TimeUnit
import javax.net.ssl.{HttpsURLConnection, SSLContext, TrustManager, X509TrustManager}
import sbt._
import scala.io.Source

/** What a server answered and what it wrote to standard error, from its start to its end. */
final case class ServerOutput(answer: String, errors: String)

object ServerOutput {
  /** Whatever certificate it shows if it serves HTTPS. */
  def of(program: File, arguments: String*): ServerOutput = IO.withTemporaryFile("errors", "txt") { errors =>
    val process = new ProcessBuilder(program.getPath +: arguments: _*).redirectError(errors).start()
    try {
      val killer = new Thread(() => if (!process.waitFor(60, TimeUnit.SECONDS)) process.destroyForcibly())
      killer.setDaemon(true)
      killer.start()
      val lines = Source.fromInputStream(process.getInputStream).getLines()
      val url   = lines.collectFirst { case Listening(url) => url }
        .getOrElse(throw new MessageOnlyException(s"$program ended: ${IO.read(errors)}"))
      val connection = URI.create(s"$url/hello/Ann").toURL.openConnection()
      connection match {
        case secure: HttpsURLConnection =>
          secure.setSSLSocketFactory(trusting.getSocketFactory)
          secure.setHostnameVerifier((_, _) => true)
        case _ => ()
      }
      connection.setConnectTimeout(5000)
      connection.setReadTimeout(5000)
      val in     = connection.getInputStream
      val answer =
        try Source.fromInputStream(in).mkString
        finally in.close()
      process.toHandle.destroy()
      lines.foreach(_ => ())
      process.waitFor()
      ServerOutput(answer, IO.read(errors))
    } finally { process.destroyForcibly(); () }
  }

  private val Listening = """listening on (https?://\S+)""".r

  private lazy val trusting = {
    val context = SSLContext.getInstance("TLS")
    val anybody = new X509TrustManager {
      def checkClientTrusted(chain: Array[X509Certificate], kind: String): Unit = ()
      def checkServerTrusted(chain: Array[X509Certificate], kind: String): Unit = ()
      def getAcceptedIssuers: Array[X509Certificate]                            = Array.empty
    }
    context.init(null, Array[TrustManager](anybody), null)
    context
  }
}
