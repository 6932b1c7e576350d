package needletail.server

import needletail.http.Request

/** Told of every request that was answered, on the loop that served it: it must not block. */
trait AccessLog {

  /**
   * @param request readable during this call (`keep` it for longer); null where no request could be read
   * @param status the status sent
   * @param bytes of content sent; fewer than there are where the reply was cut off
   * @param nanos from the whole head to the reply's last octet being handed to the connection
   */
  def served(request: Request, status: Int, bytes: Long, nanos: Long): Unit
}
