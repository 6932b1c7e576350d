package needletail.content.events

import java.lang.reflect.Modifier
import java.util.{ArrayDeque, Collections, IdentityHashMap}

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.stream.Stream
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** What events hold after many connections. */
class EventSourceMemorySuite extends Suite {

  /** Objects of this project that can be reached from one. */
  private def reachable(from: AnyRef): Int = {
    val seen  = Collections.newSetFromMap(new IdentityHashMap[AnyRef, java.lang.Boolean])
    val queue = new ArrayDeque[AnyRef]
    queue.add(from)
    while (!queue.isEmpty) {
      val next = queue.poll()
      if (next.getClass.getName.startsWith("needletail.") && seen.add(next)) {
        var kind: Class[_] = next.getClass
        while (kind != null) {
          for (field <- kind.getDeclaredFields if !field.getType.isPrimitive)
            if (!Modifier.isStatic(field.getModifiers)) {
              field.setAccessible(true)
              val value = field.get(next)
              if (value != null) queue.add(value)
            }
          kind = kind.getSuperclass
        }
      }
    }
    seen.size
  }

  /** After so many connections that had no event, while another one is awaited. */
  private def heldAfter(connections: Int): Int = {
    val loop   = new ManualLoop
    var left   = connections
    val events = EventSource(1.second) { _ =>
      left -= 1
      if (left > 0) Async.value(Some(Stream.from(Nil))) else new AsyncPromise[Option[Stream[Array[Byte]]]]
    }
    loop.run {
      events.next().onComplete(_ => ())
      Async.sleep(connections.seconds).map(_ => ())
    }
    assertEquals(left, 0)
    reachable(events)
  }

  test("connections without an event leave nothing behind, however many they are") {
    val few = heldAfter(10)
    assert(heldAfter(1000) < few + 20, few)
  }
}
