package needletail.stream

import java.util.concurrent.{Executors, Flow}

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import org.reactivestreams.tck.TestEnvironment
import org.reactivestreams.tck.flow.{FlowPublisherVerification, FlowSubscriberBlackboxVerification}
import org.testng.{ITestResult, TestListenerAdapter, TestNG}

import needletail.async.{Async, ThreadLoop}
import needletail.testing.Suite

/** The Technology Compatibility Kit of Reactive Streams, for both directions. */
class TckSuite extends Suite {
  override def munitTimeout: Duration = 5.minutes

  private def verify(tests: Class[_]): Unit = {
    val heard  = new TestListenerAdapter
    val runner = new TestNG(false)
    runner.setTestClasses(Array(tests))
    runner.addListener(heard)
    runner.setVerbose(0)
    runner.run()
    val failed                = heard.getFailedTests.asScala ++ heard.getConfigurationFailures.asScala
    def shown(r: ITestResult) = s"${r.getName}: ${r.getThrowable}"
    assert(failed.isEmpty, failed.map(shown).mkString("\n"))
    assert(heard.getPassedTests.size > 10, heard.getPassedTests)
  }

  test("a stream as a publisher")(verify(classOf[TckPublisher]))
  test("a publisher whose elements come later")(verify(classOf[TckLatePublisher]))
  test("a publisher as a stream")(verify(classOf[TckSubscriber]))
}

object Tck {
  // milliseconds: how long a signal may take on a busy machine, how long none is waited for, and how often to look
  def environment   = new TestEnvironment(10000, 100, 10)
  lazy val loop     = new ThreadLoop("tck")
  lazy val executor = Executors.newCachedThreadPool { task =>
    val thread = new Thread(task)
    thread.setDaemon(true)
    thread
  }
}

class TckPublisher extends FlowPublisherVerification[Integer](Tck.environment) {
  protected def elements(count: Long): Stream[Integer] =
    Stream.fromIterator(Iterator.iterate(0L)(_ + 1).takeWhile(_ < count).map(n => Int.box(n.toInt)))

  def createFlowPublisher(count: Long): Flow.Publisher[Integer] =
    Publishers.publisher(elements(count), Tck.loop)

  /** One that has failed already fails when an element is requested, not before. */
  def createFailedFlowPublisher(): Flow.Publisher[Integer] = null
}

class TckLatePublisher extends TckPublisher {
  override def createFlowPublisher(count: Long): Flow.Publisher[Integer] =
    Publishers.publisher(elements(count).mapAsync(2)(n => Async.yieldNow.map(_ => n)), Tck.loop)
}

class TckSubscriber extends FlowSubscriberBlackboxVerification[Integer](Tck.environment) {
  def createElement(n: Int): Integer = n

  /** The subscriber that a stream is for its publisher. */
  def createFlowSubscriber(): Flow.Subscriber[Integer] = {
    var subscriber: Flow.Subscriber[_ >: Integer] = null
    val capture: Flow.Publisher[Integer]          = s => subscriber = s
    val reading = Async.run(Tck.loop)(Async.attempt(Publishers.stream(capture, 4).drain()))
    Await.result(reading, 20.seconds)
    subscriber.asInstanceOf[Flow.Subscriber[Integer]]
  }
}
