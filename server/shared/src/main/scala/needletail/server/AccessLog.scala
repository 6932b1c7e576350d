package needletail.server

import needletail.http.Request

/** Told of every request that was answered, on the loop that served it: it must not block. */
trait AccessLog {

  /**
   * @param request readable during this call (`keep` it for longer); null where no request could be read
   * @param status the status sent
   * @param bytes octets of content sent, as far as it was when the reply ended
   * @param nanos from the whole head to the reply's last octet being handed to the connection
   */
  def served(request: Request, status: Int, bytes: Long, nanos: Long): Unit
}
