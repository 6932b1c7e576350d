package needletail.http.admission

import java.lang.ref.WeakReference

import scala.concurrent.duration.{Duration, DurationInt}

import needletail.testing.{Garbage, Suite}

/** Fault 14: places of route classes are given back. */
class RouteClassSuite extends Suite {
  // Work for the processor, which on a busy machine takes many times as long.
  override val munitTimeout: Duration = 2.minutes

  test("fault 14: a program that makes routes all the time does not run out of places") {
    val kept           = (1 to 10).map(n => new RouteClass("GET", s"/kept/$n"))
    val places         = kept.map(_.index)
    val before         = RouteClass.placesTaken
    def round(of: Int) = {
      val some = (1 to 1000).map(n => new RouteClass("GET", s"/$of/$n"))
      assertEquals(some.map(_.index).distinct.size, 1000)
      assertEquals(some.map(_.index).intersect(places), IndexedSeq.empty[Int])
      new WeakReference(some.head)
    }
    (1 to 6).foreach(n => Garbage.collect(round(n)))
    assertEquals(kept.map(_.index), places)
    // six thousand have come, a thousand at once
    assert(RouteClass.placesTaken <= math.max(before, 4000), (before, RouteClass.placesTaken))
  }

  test("fault 14: a class that reuses an index is not mistaken for its previous owner") {
    val serials = (1 to 5000).map { _ =>
      val made = new RouteClass("GET", "/")
      val _    = made.index
      made.serial
    }
    assertEquals(serials.distinct.size, 5000)
  }
}
