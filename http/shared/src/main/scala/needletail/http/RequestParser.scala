package needletail.http

import needletail.http.http1.{HeadLimits, HeadParser}

/** Parses request heads into `view`, from which requests are made. */
private[needletail] final class RequestParser private (limits: HeadLimits, requestView: RequestView)
    extends HeadParser(limits, requestView) {
  def this(limits: HeadLimits) = this(limits, new RequestView)

  /** The same as `head`, in a field of its own: an accessor of `head` would check its type for each request. */
  val view: RequestView = head.asInstanceOf[RequestView]
}
