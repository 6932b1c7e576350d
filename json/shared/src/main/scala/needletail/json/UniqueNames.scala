package needletail.json

/** Whether an object has a name twice. Not by hashing: clients choose the names, and might choose such as collide. */
private[json] object UniqueNames {

  /** Below that number of members each is compared with each. */
  private final val Few = 8

  /** A name that is there more than once. */
  def duplicate(members: Vector[(String, Any)]): Option[String] =
    if (members.length <= Few) {
      var i = 1
      while (i < members.length) {
        val name = members(i)._1
        var j    = 0
        while (j < i) {
          if (members(j)._1 == name) return Some(name)
          j += 1
        }
        i += 1
      }
      None
    } else {
      val names = members.iterator.map(_._1).toArray
      java.util.Arrays.sort(names.asInstanceOf[Array[AnyRef]])
      var i = 1
      while (i < names.length) {
        if (names(i) == names(i - 1)) return Some(names(i))
        i += 1
      }
      None
    }

  /** The last member of each name, where the name was first. */
  def last[A](members: Vector[(String, A)]): Vector[(String, A)] = {
    val places = new java.util.TreeMap[String, Integer]
    val kept   = Vector.newBuilder[(String, A)]
    val values = new Array[Any](members.length)
    members.foreach { case (name, value) =>
      val place = places.get(name)
      if (place == null) {
        values(places.size) = value
        places.put(name, places.size)
      } else values(place) = value
    }
    val seen = new java.util.TreeSet[String]
    members.foreach { case (name, _) =>
      if (seen.add(name)) kept += ((name, values(places.get(name)).asInstanceOf[A]))
    }
    kept.result()
  }
}

/** UTF-16 (Unicode §3.9). */
private[json] object Surrogates {

  /** The index of the first surrogate that has no partner, or -1. */
  def unpaired(text: String): Int = {
    var i = 0
    while (i < text.length) {
      val c = text.charAt(i)
      if (Character.isSurrogate(c)) {
        if (
          Character.isHighSurrogate(c) && i + 1 < text.length && Character.isLowSurrogate(text.charAt(i + 1))
        )
          i += 1
        else return i
      }
      i += 1
    }
    -1
  }
}
