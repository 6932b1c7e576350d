package needletail.async

/** A timer of a [[TimerHeap]]. It has its position there, which makes removing it cheap. */
private[needletail] abstract class TimerNode {
  private[needletail] var due = 0L // nanoseconds of the loop's clock
  private[async] var order    = 0L // in which they were added: equal times fire in this order
  private[async] var position = -1 // in the heap's array; -1: not in it

  /** Whether it is in a heap. */
  private[needletail] final def isSet: Boolean = position >= 0

  private[needletail] def fire(): Unit
}

/** A binary heap of timers, the earliest on top: add and remove in O(log n), peek in O(1). Not thread-safe. */
private[needletail] class TimerHeap {
  private var nodes = new Array[TimerNode](16)
  private var count = 0
  private var added = 0L

  def size: Int        = count
  def isEmpty: Boolean = count == 0

  /** When the first is due; `TimerHeap.Never` if there is none. Read in every turn of a loop, so it is kept here. */
  def firstDue: Long = first

  private var first = TimerHeap.Never

  private def changed(): Unit = first = if (count == 0) TimerHeap.Never else nodes(0).due

  /**
   * How many milliseconds to wait at `now` for the first, at most an hour; only if the heap is not empty. Rounded up,
   * otherwise a loop would spin for the last millisecond.
   */
  def millisToFirst(now: Long): Int = {
    val wait = first - now
    if (wait <= 0) 0 else math.min((wait + 999999) / 1000000, TimerHeap.MostMillis).toInt
  }

  /** Adds a node that is in no heap. */
  def add(node: TimerNode, due: Long): Unit = {
    if (count == nodes.length) nodes = java.util.Arrays.copyOf(nodes, 2 * count)
    added += 1
    node.due = due
    node.order = added
    count += 1
    up(count - 1, node)
    changed()
  }

  /** Removes a node. Does nothing if it is not in the heap. */
  def remove(node: TimerNode): Unit = {
    val hole = node.position
    if (hole >= 0) {
      node.position = -1
      count -= 1
      val last = nodes(count)
      nodes(count) = null
      if (hole < count) {
        down(hole, last)
        if (nodes(hole) eq last) up(hole, last)
      }
      changed()
    }
  }

  /** Removes and returns the first if it is due at `now`, else null. */
  def takeDue(now: Long): TimerNode =
    if (count == 0 || nodes(0).due - now > 0) null
    else {
      val first = nodes(0)
      remove(first)
      first
    }

  def clear(): Unit = while (count > 0) remove(nodes(count - 1))

  /** By difference, since nanoTime may overflow. Everything that a heap does is counted by its calls. */
  private[async] def before(a: TimerNode, b: TimerNode): Boolean = {
    val d = a.due - b.due
    d < 0 || (d == 0 && a.order < b.order)
  }

  private def put(node: TimerNode, at: Int): Unit = {
    nodes(at) = node
    node.position = at
  }

  private def up(from: Int, node: TimerNode): Unit = {
    var at     = from
    var parent = (at - 1) >> 1
    while (at > 0 && before(node, nodes(parent))) {
      put(nodes(parent), at)
      at = parent
      parent = (at - 1) >> 1
    }
    put(node, at)
  }

  private def down(from: Int, node: TimerNode): Unit = {
    var at    = from
    var child = 2 * at + 1
    while (child < count) {
      if (child + 1 < count && before(nodes(child + 1), nodes(child))) child += 1
      if (before(nodes(child), node)) {
        put(nodes(child), at)
        at = child
        child = 2 * at + 1
      } else child = count
    }
    put(node, at)
  }
}

private[needletail] object TimerHeap {
  final val Never = Long.MaxValue

  private final val MostMillis = 3600000L
}
