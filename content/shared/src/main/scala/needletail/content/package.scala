package needletail

import java.nio.file.Path

import needletail.content.compression.Compression
import needletail.content.file.FileServer
import needletail.http.Handler
import needletail.routing.Routes

/**
 * What web programs need besides routes: static files, compression, multipart forms, server-sent events, and more. All
 * of it wraps or makes routes, which stay routes.
 */
package object content {
  type CompressionConfig = compression.CompressionConfig
  type Event             = events.Event
  type FileConfig        = file.FileConfig
  type FormPart          = multipart.FormPart
  type Multipart         = multipart.Multipart
  type MultipartLimits   = multipart.MultipartLimits

  val CompressionConfig: compression.CompressionConfig.type = compression.CompressionConfig
  val Event: events.Event.type                              = events.Event
  val Events: events.Events.type                            = events.Events
  val FileConfig: file.FileConfig.type                      = file.FileConfig
  val Multipart: multipart.Multipart.type                   = multipart.Multipart
  val MultipartLimits: multipart.MultipartLimits.type       = multipart.MultipartLimits

  /**
   * Routes for the files of a directory, below `prefix`: `files("/assets", Paths.get("public"))`.
   *
   * GET and HEAD, with conditions and ranges (RFC 9110 §13 and §14). A request for a directory gets its index file; one
   * without a slash at the end is redirected to the one with it. Files are never looked for outside of the directory,
   * links that lead out of it included; names that begin with a dot, devices and pipes are answered 404.
   */
  def files(prefix: String, directory: Path, config: FileConfig = FileConfig()): Routes =
    new FileServer(directory, config).routes(prefix)

  implicit class CompressedRoutes(private val routes: Routes) {

    /** The same routes, whose responses are compressed for clients that accept it; see [[CompressionConfig]]. */
    def compressed: Routes = compressed(CompressionConfig())

    def compressed(config: CompressionConfig): Routes = new Compression(config)(routes)
  }

  implicit class CompressedHandler(private val handler: Handler) {

    /** The same handler, whose responses are compressed for clients that accept it; see [[CompressionConfig]]. */
    def compressedBy(config: CompressionConfig): Handler = new Compression(config)(handler)
  }
}
