package needletail.http

import needletail.async.{Async, Survivable}

/** Responses that are replaced by others. */
private[needletail] object Dropped {

  /** Cancels the stream of a response that is not sent, which nobody else does. An exception of it is reported. */
  def response(response: Response): Unit =
    if (response.source != null)
      try response.source.cancel()
      catch { case Survivable(e) => Async.unit.foreach(_ => throw e) }
}
