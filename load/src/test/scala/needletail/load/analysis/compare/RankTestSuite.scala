package needletail.load.analysis.compare

import java.util.SplittableRandom

import needletail.testing.Suite

class RankTestSuite extends Suite {
  test("the probabilities of the tables") {
    val low  = Vector(1.0, 2, 3, 4, 5)
    val high = Vector(6.0, 7, 8, 9, 10)
    assertEquals((RankTest.probability(low, high) * 252).round, 2L)
    assertEquals(RankTest.probability(Vector(1.0, 2), Vector(3.0)), 2.0 / 3)
    assertEquals(RankTest.probability(Vector(1.0, 1, 1), Vector(1.0, 1, 1)), 1.0)
    assert(RankTest.enough(5, 5, 0.99) && !RankTest.enough(4, 4, 0.99))
    assertEquals(Seq(0.0, 0.95, 0.99, 0.999).map(RankTest.least), Seq(1, 4, 5, 7))
  }

  /** Values around a mean; whole ones have many ties. */
  private def sample(n: Int, mean: Double, isWhole: Boolean, random: SplittableRandom): Vector[Double] =
    Vector.fill(n) {
      val value = mean + 5 * Vector.fill(12)(random.nextDouble()).sum
      if (isWhole) math.rint(value) else value
    }

  private def close(normal: Double, exact: Double, about: => Any): Unit =
    assert(math.abs(normal - exact) <= 0.003 + exact * 0.03, s"$about: $normal, exactly $exact")

  test("where it is taken for normal, the probability is about the exact one, with ties and without") {
    val random = new SplittableRandom(1)
    for {
      (m, n)  <- Seq((29, 29), (30, 30), (31, 31), (32, 32), (20, 45), (45, 20))
      isWhole <- Seq(false, true)
      apart   <- Seq(0.0, 1, 2, 3, 4, 6, 10)
    } {
      val (a, b) = (sample(m, 100, isWhole, random), sample(n, 100 + apart, isWhole, random))
      close(RankTest.normal(a, b), RankTest.exact(a, b), s"$m and $n, $apart apart, whole $isWhole")
    }
  }

  test("the same is said on either side of the border") {
    val (a, b) = (Vector.tabulate(31)(i => i * 2.0), Vector.tabulate(31)(i => i * 2.0 + 15))
    assertEquals(RankTest.probability(a, b), RankTest.exact(a, b))
    val (c, d) = (a :+ 62.0, b :+ 77.0)
    assertEquals(RankTest.probability(c, d), RankTest.normal(c, d))
    close(RankTest.probability(c, d), RankTest.exact(c, d), "32 and 32")
    // a tail that is far from 0.01, where only the order of magnitude matters
    val apart = RankTest.probability(Vector.tabulate(40)(_.toDouble), Vector.tabulate(40)(40.0 + _))
    assert(apart > 0 && apart < 1e-12, apart)
  }

  test("the normal distribution is that of the tables") {
    // ranks so uneven as z times a standard deviation and the correction, of large samples
    def at(z: Double): Double = {
      val n    = 2000
      val sd   = math.sqrt(n.toDouble * n * (2 * n + 1) / 12)
      val over = (n.toDouble * n / 2 + 0.5 + z * sd).round.toInt // pairs in which b is the larger one
      val all  = over / n // values of b above all of a
      val one  = over % n // and one above so many of a
      val a    = Vector.tabulate(n)(_.toDouble)
      val b    = Vector.fill(all)(n + 1.0) :+ (one - 0.5)
      RankTest.normal(
        a,
        (b ++ Vector.fill(n - b.size)(-1.0)).zipWithIndex.map { case (v, i) => v + i * 1e-7 }
      )
    }
    val table = Seq(0.5 -> 0.61708, 1.0 -> 0.31731, 1.96 -> 0.0499958, 2.5758 -> 0.01, 4.0 -> 6.334e-5)
    for ((z, p) <- table)
      assert(math.abs(at(z) - p) <= p * 0.002, s"$z: ${at(z)} instead of $p")
  }

  test("many runs have a probability, without all sums being counted") {
    for (n <- Seq(200, 600, 5000)) {
      val a = Vector.tabulate(n)(_.toDouble)
      assert(RankTest.enough(n, n, 0.95) && RankTest.enough(n, 5, 0.95) && RankTest.enough(5, n, 0.95))
      assertEquals(RankTest.probability(a, a), 1.0)
      val worse = RankTest.probability(a, a.map(_ + n * 0.2))
      assert(worse < 0.01, s"$n: $worse")
    }
    assertEquals(RankTest.least(0.999999999), 17)
  }
}
