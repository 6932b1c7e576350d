package needletail.server

import needletail.http.{Answerable, HttpError, Status}

/** The connections of a loop hold as much memory as they may (`ServerConfig.memoryBudget`): a 503 with Retry-After. */
private[needletail] object MemoryShort
    extends RuntimeException("connections hold as much memory as they may", null, false, false)
    with Answerable {
  val asHttpError: HttpError = HttpError(Status.ServiceUnavailable, "too much to do")
}
