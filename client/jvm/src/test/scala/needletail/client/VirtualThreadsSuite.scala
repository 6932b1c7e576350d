package needletail.client

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http._
import needletail.testing.{NewerJava, Suite}

/** Calls in direct style on virtual threads, where the JVM has them. */
class VirtualThreadsSuite extends Suite with Serving {
  override def munitTimeout: Duration = 2.minutes // of a JVM that is started

  private val hasThem = Runtime.version.feature >= 21

  private val handler: Handler = request =>
    new Reply.Later(Async.sleep(50.millis).map(_ => Response.ok(request.path)))

  /** `Thread.startVirtualThread`, which Java 17 does not know. */
  private def startVirtual(body: => Unit): Thread =
    classOf[Thread].getMethod("startVirtualThread", classOf[Runnable])
      .invoke(null, (() => body): Runnable).asInstanceOf[Thread]

  test("a thousand threads wait for two calls each, at once, on a handful of threads of the system") {
    assume(hasThem, "no virtual threads before Java 21")
    serving(handler, clientConfig.copy(connectionsPerHost = 1000)) { (server, client) =>
      val pages  = new ConcurrentLinkedQueue[String]
      val errors = new ConcurrentLinkedQueue[Throwable]
      val left   = new CountDownLatch(1000)
      val before = java.lang.management.ManagementFactory.getThreadMXBean.getThreadCount
      for (id <- 1 to 1000) startVirtual {
        try {
          val user = client.get(s"${server.url}/users/$id").await().text
          pages.add(client.get(s"${server.url}/orders$user").await().text)
          ()
        } catch { case e: Throwable => errors.add(e); () }
        finally left.countDown()
      }
      val during = java.lang.management.ManagementFactory.getThreadMXBean.getThreadCount
      assert(left.await(30, java.util.concurrent.TimeUnit.SECONDS))
      assert(errors.isEmpty, errors)
      assertEquals(pages.size, 1000)
      assert(pages.contains("/orders/users/1000"))
      assert(during - before < 50, s"$before threads of the system before, $during while they waited")
    }
  }

  test("interrupting a virtual thread cancels its call") {
    assume(hasThem, "no virtual threads before Java 21")
    val begun          = new CountDownLatch(1)
    val never: Handler =
      _ => { begun.countDown(); new Reply.Later(Async.sleep(1.minute).map(_ => Response.ok)) }
    serving(never) { (server, client) =>
      val ended  = new ConcurrentLinkedQueue[String]
      val thread = startVirtual {
        try { ended.add(client.get(server.url).await().text); () }
        catch { case e: InterruptedException => ended.add(e.getClass.getName); () }
      }
      begun.await()
      thread.interrupt()
      eventually(ended.contains("java.lang.InterruptedException"))
      eventually(client.statistics.head.cancelled == 1 && client.statistics.head.open == 0)
    }
  }

  test("the same on a newer Java, beside one that has none") {
    assume(!hasThem, "this Java has virtual threads itself")
    NewerJava.find(21) match {
      case None =>
        println("SKIPPED: no Java from 21 on is installed, so calls on virtual threads were not tested")
      case Some(java) =>
        val (status, said) = NewerJava.run(java, classOf[VirtualThreadsSuite], classOf[ClientSuite])
        assert(status == 0 && said.contains("OK ("), said)
    }
  }
}
