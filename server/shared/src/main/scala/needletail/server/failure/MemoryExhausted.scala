package needletail.server.failure

import needletail.http.message.{Answerable, HttpError, Status}

/** The connections of a loop hold as much memory as they may (`ServerConfig.memoryBudget`). The response is a 503. */
private[needletail] object MemoryExhausted
    extends RuntimeException("the memory for connections is used up", null, false, false)
    with Answerable {
  val asHttpError: HttpError = HttpError(Status.ServiceUnavailable, "server overloaded")
}
