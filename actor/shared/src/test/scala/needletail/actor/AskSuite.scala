package needletail.actor

import scala.concurrent.{Await, ExecutionContext}
import scala.concurrent.duration._
import scala.util.Success

import needletail.async.{Async, Rejected, ThreadLoop, TimedOut}
import needletail.testing.Suite
import needletail.testkit.ManualLoop

class AskSuite extends Suite {
  private sealed trait Message
  private case class Next(replyTo: Recipient[Long])  extends Message
  private case class Twice(replyTo: Recipient[Long]) extends Message
  private case object Ignore                         extends Message

  private def counter(
      loop: needletail.async.Loop,
      settings: ActorSettings = ActorSettings()
  ): ActorRef[Message] =
    Actor.spawn[Message](loop, settings) { _ =>
      var count = 0L
      message =>
        message match {
          case Next(replyTo)  => count += 1; replyTo ! count
          case Twice(replyTo) => replyTo ! 1; replyTo ! 2
          case Ignore         => ()
        }
    }

  test("an answer arrives on the loop that asked") {
    val loop = new ManualLoop
    val ref  = counter(loop)
    val sum  = loop.run(Async.all(List.fill(10)(ref.ask[Long](1.second)(Next(_)))).map(_.sum))
    assertEquals(sum, Success(55L))
    assertEquals(loop.pendingTimers, 0)
    assertEquals(loop.nowNanos, 0L)
  }

  test("no answer in time fails, and the late one is refused") {
    val loop                   = new ManualLoop
    var asked: Recipient[Long] = null
    val silent                 = Actor.spawn[Next](loop)(_ => message => asked = message.replyTo)
    assert(loop.run(silent.ask[Long](1.second)(Next(_))).failed.get.isInstanceOf[TimedOut])
    assertEquals(loop.nowNanos, 1.second.toNanos)
    assert(!loop.within(asked.send(1)))
  }

  test("only the first answer counts") {
    val loop = new ManualLoop
    assertEquals(loop.run(counter(loop).ask[Long](1.second)(Twice(_))), Success(1L))
  }

  test("a question that is repeated at once while the mailbox is full lets the actor receive") {
    val loop                 = new ManualLoop
    val ref                  = counter(loop, ActorSettings(mailbox = 1))
    var refused              = 0
    def again(): Async[Long] = ref.ask[Long](1.second)(Next(_)).recoverWith {
      case _: Rejected if refused < 10000 =>
        refused += 1
        again()
    }
    ref ! Ignore
    assertEquals(loop.run(again()), Success(1L))
    assert(refused <= 2, s"$refused were refused")
  }

  test("a question to one that has stopped or is full fails at once") {
    val loop = new ManualLoop
    val ref  = counter(loop, ActorSettings(mailbox = 1))
    ref ! Ignore
    assert(loop.run(ref.ask[Long](1.second)(Next(_))).failed.get.isInstanceOf[Rejected])
    ref.stop()
    loop.runAll()
    assert(loop.run(ref.ask[Long](1.second)(Next(_))).failed.get.isInstanceOf[Stopped])
    assert(ref.askFuture[Long](1.second)(Next(_)).value.exists(_.failed.get.isInstanceOf[Stopped]))
    assertEquals(loop.nowNanos, 0L)
  }

  test("asked from no loop, the answer is a future") {
    val loop = new ThreadLoop
    try {
      val ref = counter(loop)
      assertEquals(Await.result(ref.askFuture[Long](10.seconds)(Next(_)), 10.seconds), 1L)
      val silent = Actor.spawn[Next](loop)(_ => _ => ())
      val failed = Await.ready(silent.askFuture[Long](20.millis)(Next(_)), 10.seconds)
      assert(failed.value.exists(_.failed.get.isInstanceOf[TimedOut]))
    } finally loop.close()
  }

  test("asked from another loop, the answer comes home") {
    val (home, abroad) = (new ThreadLoop("home"), new ThreadLoop("abroad"))
    try {
      val ref    = counter(abroad)
      val answer = Async.run(home)(ref.ask[Long](10.seconds)(Next(_)).map(n => (n, home.inLoop)))
      assertEquals(Await.result(answer, 10.seconds), (1L, true))
    } finally { home.close(); abroad.close() }
  }

  test("an actor is not restarted by what the asker's callback throws") {
    val loop   = new ManualLoop
    val ref    = counter(loop)
    val answer = ref.askFuture[Long](1.second)(Next(_))
    answer.onComplete(_ => throw new LinkageError("as it should be"))(ExecutionContext.fromExecutor(_.run()))
    val reported =
      try { loop.runAll(); "nothing" }
      catch { case e: LinkageError => e.getMessage }
    assertEquals(reported, "as it should be")
    assertEquals(ref.stats.restarts, 0)
    assertEquals(loop.run(ref.ask[Long](1.second)(Next(_))), Success(2L))
  }
}
