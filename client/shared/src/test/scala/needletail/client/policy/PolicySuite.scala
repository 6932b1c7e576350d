package needletail.client.policy

import scala.concurrent.duration._

import needletail.client.config.{Balancing, BalancingConfig, BreakerConfig, RetryConfig}
import needletail.client.policy.{Balancer, Breaker, RetryBudget, RetryPolicy}
import needletail.io.Address
import needletail.testing.Suite

/** Breaker, budget, backoff and balancer, with a clock of their own. */
class PolicySuite extends Suite {
  private var now                           = 0L
  private def pass(d: FiniteDuration): Unit = now += d.toNanos

  override def beforeEach(context: BeforeEach): Unit = now = -5.seconds.toNanos // clocks may be below zero

  private def breaker(config: BreakerConfig = BreakerConfig(minCalls = 10)) = new Breaker(config)

  private def outcomes(b: Breaker, good: Int, bad: Int): Unit = {
    for (_ <- 1 to good) b.succeeded(admitted(b), now)
    for (_ <- 1 to bad) b.failed(admitted(b), now)
  }

  private def isAdmitted(b: Breaker): Boolean = b.admit(now) != Breaker.Rejected

  private def admitted(b: Breaker): Int = {
    val generation = b.admit(now)
    assert(generation != Breaker.Rejected, "it is rejected")
    generation
  }

  test("a breaker opens at its share of failures, not before it has seen enough") {
    val b = breaker()
    outcomes(b, good = 0, bad = 9)
    assertEquals(b.state, BreakerState.Closed: BreakerState)
    outcomes(b, good = 0, bad = 1)
    assertEquals(b.state, BreakerState.Open: BreakerState)
    assert(!isAdmitted(b))
    val c = breaker()
    outcomes(c, good = 20, bad = 19)
    assertEquals(c.state, BreakerState.Closed: BreakerState)
    outcomes(c, good = 0, bad = 1)
    assertEquals(c.state, BreakerState.Open: BreakerState)
  }

  test("failures that lie further back than the window do not count") {
    val b = breaker()
    outcomes(b, good = 0, bad = 9)
    pass(11.seconds)
    outcomes(b, good = 0, bad = 9)
    assertEquals(b.state, BreakerState.Closed: BreakerState)
    pass(11.seconds)
    for (_ <- 1 to 20) { // nor do those that slide out of it one by one
      pass(2.seconds)
      outcomes(b, good = 0, bad = 1)
    }
    assertEquals(b.state, BreakerState.Closed: BreakerState)
  }

  test("after its time a few probes go through; when all succeed it closes") {
    val b = breaker()
    outcomes(b, good = 0, bad = 10)
    pass(1999.millis)
    assert(!isAdmitted(b))
    pass(1.milli)
    val probes = List.fill(5)(b.admit(now)).filter(_ != Breaker.Rejected)
    assertEquals(probes.size, 3)
    assertEquals(b.state, BreakerState.HalfOpen: BreakerState)
    b.succeeded(probes(0), now)
    b.succeeded(probes(1), now)
    assertEquals(b.state, BreakerState.HalfOpen: BreakerState)
    b.succeeded(probes(2), now)
    assertEquals(b.state, BreakerState.Closed: BreakerState)
    assert((1 to 10).forall(_ => isAdmitted(b)))
  }

  test("a probe that fails opens it again, for longer each time, up to a bound") {
    val b = breaker()
    outcomes(b, good = 0, bad = 10)
    for (factor <- List(1, 2, 4, 8, 10, 10)) {
      pass(2.seconds * factor.toLong - 1.milli)
      assert(!isAdmitted(b), s"open for $factor times as long")
      pass(1.milli)
      b.failed(admitted(b), now)
      assertEquals(b.state, BreakerState.Open: BreakerState)
    }
  }

  test("a probe that was given up makes room for another") {
    val b = breaker()
    outcomes(b, good = 0, bad = 10)
    pass(2.seconds)
    val probe = admitted(b)
    assertEquals((1 to 4).count(_ => isAdmitted(b)), 2)
    b.withdrawn(probe)
    assert(isAdmitted(b) && !isAdmitted(b))
  }

  test("it can be asked whether it would admit a call, which changes nothing") {
    val b = breaker()
    assert(b.wouldAdmit(now))
    outcomes(b, good = 0, bad = 10)
    assert(!b.wouldAdmit(now) && !b.wouldAdmit(now + 1999.millis.toNanos))
    assert(b.wouldAdmit(now + 2.seconds.toNanos))
    assertEquals(b.state, BreakerState.Open: BreakerState)
    pass(2.seconds)
    for (_ <- 1 to 9) assert(b.wouldAdmit(now))
    val probes = List.fill(3)(admitted(b))
    assert(!b.wouldAdmit(now) && !b.wouldAdmit(now + 1.hour.toNanos))
    b.withdrawn(probes.head)
    assert(b.wouldAdmit(now))
    b.failed(probes(1), now)
    assert(!b.wouldAdmit(now) && b.wouldAdmit(now + 4.seconds.toNanos))
    val off = breaker(BreakerConfig(enabled = false, minCalls = 1))
    outcomes(off, good = 0, bad = 10)
    assert(off.wouldAdmit(now))
  }

  test("a stream's head is the outcome of its probe, whatever becomes of its body") {
    val b = breaker()
    assert(!b.answered(admitted(b), good = true, now), "while it is closed the whole response counts")
    outcomes(b, good = 0, bad = 10)
    pass(2.seconds)
    val probes = List.fill(3)(admitted(b))
    assert(!isAdmitted(b))
    for (probe <- probes) assert(b.answered(probe, good = true, now))
    assertEquals(b.state, BreakerState.Closed: BreakerState)
    outcomes(b, good = 0, bad = 10)
    pass(2.seconds)
    assert(b.answered(admitted(b), good = false, now))
    assertEquals(b.state, BreakerState.Open: BreakerState)
  }

  test("what was begun before it opened says nothing about how the host is now") {
    val b   = breaker()
    val old = List.fill(40)(admitted(b)).iterator
    outcomes(b, good = 0, bad = 10)

    /** An outcome of each kind, `times` times. */
    def end(times: Int): Unit = for (_ <- 1 to times) {
      b.succeeded(old.next(), now)
      b.failed(old.next(), now)
      assert(!b.answered(old.next(), good = true, now) && !b.answered(old.next(), good = false, now))
      b.withdrawn(old.next())
    }
    end(1)
    assertEquals(b.state, BreakerState.Open: BreakerState)
    pass(2.seconds)
    val probes = List.fill(3)(admitted(b))
    end(3)
    assertEquals(b.state, BreakerState.HalfOpen: BreakerState)
    assert(!isAdmitted(b), "a probe too many")
    probes.foreach(b.succeeded(_, now))
    assertEquals(b.state, BreakerState.Closed: BreakerState)
    for (_ <- 1 to 20) b.failed(old.next(), now)
    assertEquals(b.state, BreakerState.Closed: BreakerState)
  }

  test("a probe that ends after another one has opened it again says nothing about the next probes") {
    val b = breaker()
    outcomes(b, good = 0, bad = 10)
    pass(2.seconds)
    val probes = List.fill(3)(admitted(b))
    b.failed(probes(0), now)
    pass(4.seconds)
    val next = List.fill(3)(admitted(b))
    b.failed(probes(1), now)
    b.withdrawn(probes(2))
    assertEquals(b.state, BreakerState.HalfOpen: BreakerState)
    assert(!isAdmitted(b), "a probe too many")
    next.foreach(b.succeeded(_, now))
    assertEquals(b.state, BreakerState.Closed: BreakerState)
  }

  test("a breaker that is switched off lets everything through") {
    val b = breaker(BreakerConfig(enabled = false))
    for (_ <- 1 to 100) b.failed(admitted(b), now)
  }

  test("the budget bears a fifth of the calls, and its reserve at first") {
    val budget = new RetryBudget(0.2, 10, 100)
    assertEquals((1 to 100).count(_ => budget.spend()), 10)
    for (_ <- 1 to 4) budget.earn()
    assert(!budget.spend())
    budget.earn()
    assert(budget.spend() && !budget.spend())
    var made = 0
    for (_ <- 1 to 1000) { budget.earn(); if (budget.spend()) made += 1 }
    assertEquals(made, 200)
  }

  test("what the budget saves up has a bound") {
    val budget = new RetryBudget(0.5, 10, 50)
    for (_ <- 1 to 1000) budget.earn()
    assertEquals(budget.left, 50)
    assertEquals((1 to 100).count(_ => budget.spend()), 50)
  }

  test("backing off doubles its bound up to another, and is spread evenly below it") {
    val seed    = 4711L
    val config  = RetryConfig(firstDelay = 10.millis, maxDelay = 1.second)
    val backoff = RetryPolicy.backoff(config, new java.util.Random(seed))
    assertEquals(
      (1 to 9).map(n => backoff.bound(n) / 1000000).toList,
      List(10L, 20L, 40L, 80L, 160L, 320L, 640L, 1000L, 1000L)
    )
    assertEquals(backoff.bound(1000), 1.second.toNanos)
    val waits = Vector.fill(10000)(backoff.nanos(3).toDouble / 40.millis.toNanos)
    assert(waits.forall(w => w >= 0 && w < 1), s"seed $seed")
    assertEqualsDouble(waits.sum / waits.size, 0.5, 0.02, s"seed $seed")
  }

  private def balancer(policy: Balancing, count: Int = 3, failures: Int = 2): Balancer = new Balancer(
    (1 to count).map(i => Address.Tcp(s"10.0.0.$i", 80)),
    BalancingConfig(policy, failures = failures)
  )

  private def chosen(b: Balancer, n: Int): List[Int] = List.fill(n)(b.choose(now, null).index)

  test("round and round") {
    assertEquals(chosen(balancer(Balancing.RoundRobin), 7), List(0, 1, 2, 0, 1, 2, 0))
  }

  test("the one with the fewest under way; among equals round and round") {
    val b = balancer(Balancing.LeastInFlight)
    assertEquals(chosen(b, 3).toSet, Set(0, 1, 2))
    b.endpoints(0).inFlight.set(2)
    b.endpoints(1).inFlight.set(1)
    b.endpoints(2).inFlight.set(2)
    assertEquals(chosen(b, 4), List(1, 1, 1, 1))
  }

  test("an address that fails in a row is left out for a while, longer each time, and taken back") {
    val b   = balancer(Balancing.RoundRobin)
    val bad = b.endpoints(1)
    b.failed(bad, now)
    b.succeeded(bad)
    b.failed(bad, now)
    assert(!bad.ejected, "not in a row")
    b.failed(bad, now)
    assert(bad.ejected)
    assertEquals(chosen(b, 6).toSet, Set(0, 2))
    pass(5.seconds)
    assertEquals(chosen(b, 3).toSet, Set(0, 1, 2))
    b.failed(bad, now)
    assert(bad.ejected, "one failure more is enough now")
    pass(9.seconds)
    assertEquals(chosen(b, 6).toSet, Set(0, 2))
    pass(1.second)
    assertEquals(chosen(b, 3).toSet, Set(0, 1, 2))
    b.succeeded(bad)
    b.failed(bad, now)
    assert(!bad.ejected, "a success makes up for everything")
  }

  test("not all are left out, however they fail") {
    val b = balancer(Balancing.LeastInFlight)
    for (e <- b.endpoints; _ <- 1 to 10) b.failed(e, now)
    assertEquals(b.endpoints.count(_.ejected), 2)
    val one = balancer(Balancing.LeastInFlight, count = 1)
    for (_ <- 1 to 10) one.failed(one.endpoints(0), now)
    assert(one.choose(now, null) eq one.endpoints(0))
  }

  test("a retry goes elsewhere where there is an elsewhere") {
    val b   = balancer(Balancing.RoundRobin)
    val bad = b.endpoints(1)
    assert(!(1 to 9).exists(_ => b.choose(now, bad) eq bad))
    val one = balancer(Balancing.RoundRobin, count = 1)
    assert(one.choose(now, one.endpoints(0)) eq one.endpoints(0))
  }

  test("after it has closed, no outcome from before counts, neither failures nor successes") {
    val b = breaker()
    outcomes(b, good = 20, bad = 20)
    assertEquals(b.state, BreakerState.Open: BreakerState)
    pass(2.seconds)
    List.fill(3)(admitted(b)).foreach(b.succeeded(_, now))
    outcomes(b, good = 0, bad = 9)
    assertEquals(b.state, BreakerState.Closed: BreakerState)
    outcomes(b, good = 0, bad = 1)
    assertEquals(b.state, BreakerState.Open: BreakerState)
  }

  test("the window passes also where outcomes come a little later than its slices begin") {
    val b = breaker()
    outcomes(b, good = 0, bad = 9)
    for (_ <- 1 to 6) {
      pass(1900.millis)
      outcomes(b, good = 2, bad = 0)
    }
    outcomes(b, good = 0, bad = 9)
    assertEquals(
      b.state,
      BreakerState.Closed: BreakerState,
      "9 failures are too few, and 9 more are 11 seconds old"
    )
  }

  test("the budget saves no part of a token more than it may") {
    val budget = new RetryBudget(0.4, reserve = 0, saving = 1)
    for (_ <- 1 to 3) budget.earn()
    assert(budget.spend() && !budget.spend())
    for (_ <- 1 to 2) budget.earn()
    assert(!budget.spend(), "0.8")
    budget.earn()
    assert(budget.spend())
  }

  test("the last address is never left out, whatever share may be") {
    val addresses = List(Address.Tcp("127.0.0.1", 1), Address.Tcp("127.0.0.1", 2))
    val b         = new Balancer(addresses, BalancingConfig(failures = 1, maxEjected = 1))
    for (_ <- 1 to 5; endpoint <- b.endpoints) b.failed(endpoint, now)
    assertEquals(b.endpoints.count(_.ejected), 1)
  }
}
