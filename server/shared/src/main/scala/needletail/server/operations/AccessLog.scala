package needletail.server.operations

import needletail.http.Request

/** Called for every request that was answered, on the loop that served it. It must not block. */
trait AccessLog {

  /**
   * A request was answered, or its response was cut off.
   *
   * @param request valid during this call (`keep` it for longer); null if no request could be read
   * @param status the status that was sent
   * @param bytes bytes of content sent; fewer than its length if the response was cut off
   * @param nanos nanoseconds from the end of the head to the last byte of the response being handed to the connection
   */
  def served(request: Request, status: Int, bytes: Long, nanos: Long): Unit
}
