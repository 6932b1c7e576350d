package needletail.actor

import scala.concurrent.Future

import needletail.async.Loop
import needletail.testing.Suite
import needletail.testkit.ManualLoop

class ChildrenSuite extends Suite {
  private val manual = new ManualLoop

  /** Counts how often it is looked at and told to stop. */
  private final class Child(stopped: Boolean) extends ActorRef[Int] {
    var looks = 0
    var stops = 0

    def name: String                = "child"
    def send(message: Int): Boolean = false
    def stop(): Unit                = stops += 1
    def isStopped: Boolean          = { looks += 1; stopped }
    def whenStopped: Future[Unit]   = Future.unit
    def stats: ActorStats           = ActorStats(0, 0, 0, 0, 0, 0)
    def loop: Loop                  = manual

    private[actor] def watches: DeathWatch = new DeathWatch
    private[actor] def isLost: Boolean     = false
  }

  private def adopted(count: Int, stopped: Boolean): (ActorResources[Int], Seq[Child]) = {
    val parent   = new ActorResources[Int](manual, new Inbox[Int](manual, ActorSettings(), () => ()))
    val children = Seq.fill(count)(new Child(stopped))
    children.foreach(parent.adopt(_))
    (parent, children)
  }

  test("one more costs the same however many there are, and all stop with their parent") {
    val (parent, children) = adopted(5000, stopped = false)
    assert(children.map(_.looks).sum <= 4 * 5000, children.map(_.looks).sum)
    parent.end()
    assert(children.forall(_.stops == 1))
  }

  test("those that have stopped are not kept") {
    val (parent, children) = adopted(5000, stopped = true)
    parent.end()
    assert(children.map(_.stops).sum <= 16, children.map(_.stops).sum)
  }
}
