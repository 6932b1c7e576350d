package needletail.content

import needletail.async.{Async, Survivable}
import needletail.http.Response

/** Responses that are replaced by others. */
private[content] object Dropped {

  /** Cancels the stream of a response that is not sent, which nobody else does. An exception of it is reported. */
  def response(response: Response): Unit =
    if (response.source != null)
      try response.source.cancel()
      catch { case Survivable(e) => Async.unit.foreach(_ => throw e) }
}
