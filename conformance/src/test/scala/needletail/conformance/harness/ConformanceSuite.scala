package needletail.conformance.harness

import java.nio.file.Path
import java.util.concurrent.{Callable, ExecutionException, Executors, Future, TimeUnit}

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.{Duration, DurationInt}

import needletail.conformance.client.{Ask, Reply, ReplyReader, ReplyRules, Seen, Wire}
import needletail.testing.Suite

/**
 * A suite run against each program: every suite starts its own, ends it with SIGTERM when it is through, and sees
 * that it left no descriptor open, printed no stack trace and ended with status 0.
 */
abstract class ConformanceSuite extends Suite {
  override val munitTimeout: Duration = 120.seconds

  /** The largest body the programs of this suite take, in bytes. */
  protected def maxBody: Int = Program.maxBody

  private val subjects = Program.paths.map(new Subject(_))

  /** A program that starts when a test first asks for it. */
  protected final class Subject(val path: Path) {
    private var started     = Option.empty[Program]
    private var descriptors = Option.empty[Int]

    def name: String = path.getFileName.toString

    def program: Program = synchronized {
      started.getOrElse {
        val program = Program.start(path, maxBody)
        ConformanceSuite.awaitService(program)
        descriptors = program.descriptors
        started = Some(program)
        program
      }
    }

    def end(): Unit = started.foreach { program =>
      try {
        val before   = descriptors.getOrElse(0)
        def now: Int = program.descriptors.getOrElse(0)
        eventually( // connections that have ended are gone at most the idle timeout later
          now <= before + ConformanceSuite.Slack,
          s"$before descriptors open at first, $now at the end",
          within = Program.idleTimeoutMillis.millis + 20.seconds
        )
        program.terminate()
        val status = program.exitStatus(20000)
        assertEquals(status, Some(0), program.output.takeRight(20).mkString("\n"))
        assertEquals(program.stackTraces.take(10).toList, Nil)
      } finally program.kill()
    }

    def kill(): Unit = started.foreach(_.kill())
  }

  /** The same test for every program. */
  protected final def each(name: String)(body: Program => Unit): Unit =
    subjects.foreach { subject =>
      test(s"${subject.name}: $name") {
        val program = subject.program
        body(program)
        assert(program.isAlive, s"the program has ended: ${program.output.takeRight(20).mkString("\n")}")
      }
    }

  /** One test for each row, delivered in every way. */
  protected final def table(title: String)(rows: Case*): Unit =
    rows.foreach { row =>
      each(s"$title: ${row.name} (${row.level.word}, RFC ${row.rule})") { program =>
        val faults = new Delivery(program).faults(row)
        if (faults.nonEmpty) fail((s"[${Reply.visible(row.request.take(300))}]" +: faults).mkString("\n  "))
      }
    }

  /** All 256 bytes at one place of a message, given as what stands before and behind it. One test, each byte a case. */
  protected final def bytes(
      level: Level,
      rule: String,
      title: String,
      before: String,
      behind: Int => String
  )(
      outcomes: PartialFunction[Int, Seq[Outcome]]
  ): Unit =
    each(s"$title: each byte (${level.word}, RFC $rule)") { program =>
      val cases = for {
        byte     <- 0 to 255
        expected <- outcomes.lift(byte).toSeq
      } yield Case(level, rule, f"0x$byte%02x", before + byte.toChar + behind(byte), expected)
      val faults = new Delivery(program).faultsAround(cases, before.length)
      val first  = faults.take(20).toList // each may have waited for its timeout
      if (first.nonEmpty)
        fail(first.mkString("", "\n  ", if (first.size == 20) "\n  and perhaps more" else ""))
    }

  private val waiting = mutable.LinkedHashMap.empty[(Path, String), Program => Unit]
  private lazy val running: Map[(Path, String), Future[Unit]] = {
    val pool = Executors.newCachedThreadPool { (task: Runnable) =>
      val thread = new Thread(task, "timed case")
      thread.setDaemon(true)
      thread
    }
    val begun = waiting.map { case (key, body) =>
      val subject              = subjects.find(_.path == key._1).get
      val task: Callable[Unit] = () => body(subject.program)
      key -> pool.submit(task)
    }.toMap
    pool.shutdown()
    begun
  }

  private val reported = scala.collection.mutable.Set.empty[(Path, String)]

  /** A test that mostly waits: all of a suite's run at once, and each reports for itself. */
  protected final def timed(name: String)(body: Program => Unit): Unit =
    subjects.foreach { subject =>
      waiting((subject.path, name)) = body
      test(s"${subject.name}: $name") {
        if (reported.add((subject.path, name)))
          try running((subject.path, name)).get(100, TimeUnit.SECONDS)
          catch { case failure: ExecutionException => throw failure.getCause }
        else body(subject.program) // a second try
      }
    }

  // Run after all others: the order of registration is the order of running.
  override def munitTests(): Seq[Test] = {
    if (closing.isEmpty) {
      closing += 1
      subjects.foreach(subject =>
        test(s"${subject.name}: leaves nothing open, ends on SIGTERM with status 0")(subject.end())
      )
    }
    super.munitTests()
  }
  private lazy val closing = ArrayBuffer.empty[Int]

  override def afterAll(): Unit = subjects.foreach(_.kill())

  /** The reply to one request on a connection of its own. */
  protected final def ask(program: Program, request: String): Reply = {
    val wire = program.connect()
    try {
      wire.send(request)
      reply(new ReplyReader(wire), Ask.of(request))
    } finally wire.close()
  }

  /** The next reply, or the test fails. */
  protected final def reply(reader: ReplyReader, ask: Ask = Ask.get): Reply = reader.next(ask) match {
    case Seen.Answer(reply) =>
      assertEquals(ReplyRules.violations(reply, ask).toList, Nil)
      reply
    case other => fail(s"no reply: $other")
  }

  /** That the program still serves: a request on a new connection. */
  protected final def assertServes(program: Program): Unit =
    assertEquals(ask(program, Message.get("Connection: close")).text, Outcome.Hello)
}

object ConformanceSuite {

  /** Descriptors a program may have opened for itself since (class files, log files). */
  val Slack = 3

  /** Waits until the first request is answered, so that loading classes is not taken for slowness. */
  private def awaitService(program: Program): Unit = {
    val deadline = Wire.in(20000)
    var served   = false
    while (!served && System.nanoTime() < deadline) {
      val wire = program.connect()
      try {
        wire.send(Message.get("Connection: close"))
        served = new ReplyReader(wire).next(Ask.get) match {
          case Seen.Answer(_) => true
          case _              => false
        }
      } finally wire.close()
    }
  }
}
