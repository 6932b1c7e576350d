package needletail.server.operations

/** The counts and gauges of one loop at one moment, copied for another thread. */
private[server] final class LoopSnapshot(val loop: Int, val counts: LoopCounts, val connections: Int) {
  var held: Long                  = 0 // bytes held for clients
  var holdsMost: Long             = 0 // bytes that may be held for clients
  var inFlight: Int               = 0
  var isOverloaded: Boolean       = false
  var routes: List[RouteSnapshot] = Nil
}
