package needletail.simulation.service

import scala.concurrent.duration._

import needletail.actor._
import needletail.async.{Async, Loop}
import needletail.simulation.world.World

/**
 * Actors with all that they may have: timers, watches, children, and behaviours that replace each other. Each place throws
 * at times. Whatever is thrown, each behaviour is told its end once, after its last message, and no actor is left.
 */
final class ActorCode(world: World, code: UserCode) {
  import ActorCode._

  private var actors = List.empty[ActorRef[_]]
  private var lives  = List.empty[Checked]

  code.atEnd {
    actors.filterNot(_.isStopped).foreach(a => world.found(s"the actor ${a.name} has never stopped"))
    lives.foreach { life =>
      val due = if (life.isReplaced) 0 else 1
      if (life.stops != due) world.found(s"${life.name} was told ${life.stops} ends instead of $due")
    }
  }

  /** The mark, from an actor made for that question, which asks another one. */
  def ask(mark: String): Async[String] = {
    val asked = Actor.spawn[Told](Loop.current, settings("parent")) { context =>
      code.aside("the making of an actor")
      new Parent(context)
    }
    actors ::= asked
    asked.ask[String](1.second)(Question(_, mark))
  }

  private def settings(name: String): ActorSettings = ActorSettings(
    name = name,
    restarts = world.random.between(0, 3),
    batch = world.random.pick(Seq(1, 64)),
    onFailure = if (world.random.percent(70)) None
    else Some(error => code.reported(error, "an actor's onFailure"))
  )

  /** A behaviour that checks when it is called. */
  private abstract class Checked(val name: String) extends Actor[Told] {
    private var hasStarted = false
    var isReplaced         = false
    var stops              = 0
    lives ::= this

    protected def on(message: Told): Unit
    protected def starts(): Unit = ()

    final override def onStart(): Unit = {
      if (hasStarted || stops > 0) world.found(s"$name was started again")
      hasStarted = true
      starts()
      code.aside("the start of an actor")
    }

    final def receive(message: Told): Unit = {
      if (stops > 0 || isReplaced) world.found(s"$name got a message after its end")
      code.aside("a message of an actor")
      on(message)
      code.aside("the end of a message of an actor")
    }

    final override def onStop(): Unit = {
      stops += 1
      code.aside("the end of an actor")
    }
  }

  private final class Parent(context: Context[Told]) extends Checked("a parent") {
    override protected def starts(): Unit = {
      context.schedule(2.seconds)(Enough)
      if (world.random.percent(50)) context.every(world.random.between(50, 400).millis)(Tick)
      ()
    }

    protected def on(message: Told): Unit = message match {
      case question: Question =>
        val child = context.spawn[Told](settings("child")) { own =>
          code.aside("the making of a child")
          new Child(own)
        }
        actors ::= child
        context.watch(child)(Gone)
        child ! question
        if (world.random.percent(50)) {
          isReplaced = true
          context.become(new Waiting(context))
        }
      case Gone | Enough => context.stop()
      case Tick          => ()
    }
  }

  /** What a parent becomes. */
  private final class Waiting(context: Context[Told]) extends Checked("what a parent has become") {
    protected def on(message: Told): Unit = message match {
      case Gone | Enough => context.stop()
      case _             => ()
    }
  }

  private final class Child(context: Context[Told]) extends Checked("a child") {
    private var question: Question = null

    protected def on(message: Told): Unit = message match {
      case asked: Question if world.random.percent(60) => answer(asked)
      case asked: Question                             =>
        question = asked
        context.schedule(world.random.between(1, 900).millis)(Tick)
        ()
      case _ => answer(question)
    }

    private def answer(to: Question): Unit = {
      to.answer ! to.mark
      if (world.random.percent(70)) context.stop()
    }
  }
}

private object ActorCode {
  sealed trait Told
  final case class Question(answer: Recipient[String], mark: String) extends Told
  case object Tick                                                   extends Told
  case object Gone                                                   extends Told
  case object Enough                                                 extends Told
}
