package needletail.load.plan

/** How many users each kind of requests has in the closed model. */
private[load] object UserShares {

  /**
   * The users of each of `kinds`: its own number, if it has one; the rest of all users by weight, by the method of
   * largest remainders.
   */
  def of(kinds: Vector[Kind], load: Load.Closed): Vector[Int] = {
    val shared = math.max(0L, load.users - kinds.flatMap(_.users).map(_.toLong).sum).toInt
    val total  = kinds.filter(_.users.isEmpty).map(_.weight).sum
    val exact  = kinds.map(k => k.users.fold(if (total > 0) shared * k.weight / total else 0.0)(_.toDouble))
    val floors = exact.map(_.toInt)
    val rest   =
      if (total > 0) shared - kinds.zip(floors).collect { case (k, n) if k.users.isEmpty => n }.sum else 0
    val more = exact.indices.filter(kinds(_).users.isEmpty).sortBy(i => floors(i) - exact(i)).take(rest).toSet
    floors.indices.toVector.map(i => floors(i) + (if (more(i)) 1 else 0))
  }
}
