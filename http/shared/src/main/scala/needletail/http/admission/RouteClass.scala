package needletail.http.admission

import java.lang.ref.WeakReference
import java.util.concurrent.atomic.AtomicLong

/**
 * A kind of request, by which a server limits and counts: all requests of one route are one kind.
 *
 * @param method as in metrics; `*` for any
 * @param template the path with its variable parts named, `/orders/{id}`, so that there are few different texts
 * @param adaptive whether the server determines an adaptive limit for it
 */
private[needletail] final class RouteClass(
    val method: String,
    val template: String,
    val priority: Priority = Priority.Normal,
    val adaptive: Boolean = true
) {

  /**
   * The index of this class in each loop's table. It is assigned with the first request, and reused after this class
   * has been garbage-collected; so a table has to compare `serial` too.
   */
  @volatile private var place: Int = -1

  /** Unique; set together with the index. */
  var serial: Long = 0

  def index: Int = {
    val i = place
    if (i >= 0) i else takePlace()
  }

  private def takePlace(): Int = synchronized {
    if (place < 0) {
      serial = RouteClass.serials.incrementAndGet()
      place = RouteClass.places.take(this)
    }
    place
  }

  /** An equal class, to hold instead of this one so that this one can be collected. */
  def twin: RouteClass = {
    val copy = new RouteClass(method, template, priority, adaptive)
    copy.original = index
    copy
  }

  /** The index of the class whose twin this is; -1 if it is none. */
  var original: Int = -1

  override def toString: String = if (template.isEmpty) method else s"$method $template"

  /** The name in logs; None if it is not specific to a request. */
  def label: Option[String] =
    if (method.isEmpty || (method == "*" && template == "*")) None else Some(toString)
}

private[needletail] object RouteClass {
  private val serials = new AtomicLong
  private val places  = new Places

  /** The number of indices in use: at most one and a half times the largest number of classes at once. */
  private[http] def placesTaken: Int = places.size

  /** Indices, each assigned until its owner has been garbage-collected. */
  private final class Places {
    private var owners = new Array[WeakReference[RouteClass]](64)
    private var free   = List.range(0, 64)

    def size: Int = synchronized(owners.length)

    def take(owner: RouteClass): Int = synchronized {
      if (free.isEmpty) {
        free = owners.indices.filter(i => owners(i).get == null).toList
        if (free.length < owners.length / 4) {
          val more = owners.length until owners.length * 3 / 2
          owners = java.util.Arrays.copyOf(owners, more.end)
          free = free ++ more
        }
      }
      val place = free.head
      free = free.tail
      owners(place) = new WeakReference(owner)
      place
    }
  }

  /** Requests that no route responded to: not found, malformed, wrong method. */
  val unmatched: RouteClass = new RouteClass("", "")

  /** OPTIONS requests that no route responded to, but the server or the routes as a whole. */
  val options: RouteClass = new RouteClass("OPTIONS", "*")

  /** Requests that a handler without routes responded to. */
  val handler: RouteClass = new RouteClass("*", "*")
}
