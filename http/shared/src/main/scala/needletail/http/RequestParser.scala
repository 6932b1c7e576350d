package needletail.http

import needletail.http.http1.{HeadLimits, HeadParser}

/** Parses request heads into `view`, from which requests are made. */
private[needletail] final class RequestParser private (limits: HeadLimits, val view: RequestView)
    extends HeadParser(limits, view) {
  def this(limits: HeadLimits) = this(limits, new RequestView)
}
