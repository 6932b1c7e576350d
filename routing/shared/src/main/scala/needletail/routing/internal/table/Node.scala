package needletail.routing.internal.table

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.message.Method
import needletail.http.text.Swar
import needletail.routing.internal.matching.{OtherMethods, Percent, Segment}

/**
 * A node of the trie: the possible continuations of a path prefix. Immutable after construction.
 *
 * @param literals a hash table with open addressing, its size a power of two, at most half full; null if empty
 * @param captured for any one segment that is not empty; may be null
 * @param rest for any rest of the path; may be null
 * @param leaf if the path ends here; may be null
 */
private[routing] final class Node private (
    literals: Array[Node.Entry],
    val captured: Node,
    val rest: Leaf,
    val leaf: Leaf
) {

  /** The node of the literal that equals the segment, or null. */
  @inline def child(bytes: Array[Byte], from: Int, until: Int, escaped: Boolean): Node =
    if (literals == null) null
    else {
      val table = literals
      val mask  = table.length - 1
      var i     = Percent.hash(bytes, from, until, escaped) & mask
      var entry = table(i)
      while (entry != null && !entry.spelled(bytes, from, until, escaped)) {
        i = (i + 1) & mask
        entry = table(i)
      }
      if (entry == null) null else entry.next
    }
}

private[routing] object Node {
  final class Entry(rawBytes: Array[Byte], val next: Node) {
    private val length = rawBytes.length
    private val tail   = (length - 1) & 7 // one less than the bytes of the last word
    private val last   = if (length == 0) 0L else Swar.load(rawBytes, length - tail - 1, tail + 1)

    /** Whether these bytes equal the literal. Compares eight bytes at a time if nothing is escaped. */
    @inline def spelled(bytes: Array[Byte], from: Int, until: Int, escaped: Boolean): Boolean =
      if (escaped) Percent.same(bytes, from, until, rawBytes, plusIsSpace = false)
      else
        until - from == length && (length == 0 || {
          val own = rawBytes
          val end = length - tail - 1
          var i   = 0
          while (i < end && Swar.load(bytes, from + i) == Swar.load(own, i)) i += 8
          i == end && Swar.load(bytes, from + end, tail + 1) == last
        })
  }

  /** A node under construction. */
  private final class Draft {
    val literals                    = scala.collection.mutable.LinkedHashMap.empty[String, Draft]
    var captured: Draft             = null
    var rest: List[CompiledRoute]   = Nil
    var ending: List[CompiledRoute] = Nil

    def add(route: CompiledRoute, path: List[Segment]): Unit = path match {
      case Nil                         => ending = route :: ending
      case Segment.Text(text) :: more  => literals.getOrElseUpdate(text, new Draft).add(route, more)
      case Segment.Rest :: _           => rest = route :: rest
      case Segment.Captured(_) :: more =>
        if (captured == null) captured = new Draft
        captured.add(route, more)
    }

    def result: Node = {
      val table =
        if (literals.isEmpty) null
        else new Array[Entry](Integer.highestOneBit(literals.size * 4 - 1))
      literals.foreach { case (text, draft) =>
        val rawBytes = text.getBytes(UTF_8)
        var i        = Percent.hash(rawBytes, 0, rawBytes.length, escaped = false) & (table.length - 1)
        while (table(i) != null) i = (i + 1) & (table.length - 1)
        table(i) = new Entry(rawBytes, draft.result)
      }
      new Node(
        table,
        if (captured == null) null else captured.result,
        Leaf.of(rest.reverse),
        Leaf.of(ending.reverse)
      )
    }
  }

  def of(routes: List[CompiledRoute]): Node = {
    val draft = new Draft
    routes.foreach(route => draft.add(route, route.path))
    draft.result
  }
}

/** The routes of one path pattern, by method. */
private[routing] final class Leaf private (all: List[CompiledRoute]) {
  private val byCode: Array[Array[CompiledRoute]]       = Method.known.map(candidates)
  private val others: Map[Method, Array[CompiledRoute]] =
    methods.filter(_.code < 0).map(method => method -> candidates(method)).toMap
  private val ofAnyMethod: Array[CompiledRoute] = Leaf.orNull(all.filter(_.method.isEmpty))

  /** The candidates for a request with that method, in order; null if there are none. */
  @inline def routes(method: Method): Array[CompiledRoute] =
    if (method.code >= 0) byCode(method.code) else others.getOrElse(method, ofAnyMethod)

  /** For a request with a method that no route has. */
  val otherMethods: OtherMethods = new OtherMethods(methods, all.map(_.settings.arounds))

  private def methods: List[Method] = all.flatMap(_.method)

  private def candidates(method: Method): Array[CompiledRoute] = {
    def of(method: Method) = all.filter(_.method.forall(_ == method))
    // HEAD has the response of GET, without its content (RFC 9110 §9.3.2)
    Leaf.orNull(
      if (method eq Method.HEAD) all.filter(_.method.contains(Method.HEAD)) ++ of(Method.GET) else of(method)
    )
  }
}

private[routing] object Leaf {
  def of(routes: List[CompiledRoute]): Leaf = if (routes.isEmpty) null else new Leaf(routes)

  private def orNull(routes: List[CompiledRoute]): Array[CompiledRoute] =
    if (routes.isEmpty) null else routes.toArray
}
