package needletail.server.operations

/**
 * The connections of a server.
 *
 * @param open open now
 * @param most the most that were open at once
 * @param total accepted since the server started
 */
private[server] final case class ConnectionCounts(open: Int, most: Int, total: Long)
