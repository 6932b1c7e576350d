package needletail.http

import needletail.testing.Suite

/** Fault 14: places of route classes are given back. */
class RouteClassSuite extends Suite {
  test("fault 14: a program that makes routes all the time does not run out of places") {
    val kept   = (1 to 10).map(n => new RouteClass("GET", s"/kept/$n"))
    val places = kept.map(_.index)
    (1 to 5).foreach { round =>
      val some = (1 to 10000).map(n => new RouteClass("GET", s"/$round/$n"))
      assertEquals(some.map(_.index).distinct.size, 10000)
      assertEquals(some.map(_.index).intersect(places), IndexedSeq.empty[Int])
      System.gc()
    }
    assertEquals(kept.map(_.index), places)
    assert(RouteClass.placesTaken < 35000, RouteClass.placesTaken)
  }

  test("fault 14: whoever is given a place again is not taken for the one before") {
    val serials = (1 to 5000).map { _ =>
      val made = new RouteClass("GET", "/")
      val _    = made.index
      made.serial
    }
    assertEquals(serials.distinct.size, 5000)
  }
}
