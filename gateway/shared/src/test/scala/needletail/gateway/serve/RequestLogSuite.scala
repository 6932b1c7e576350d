package needletail.gateway.serve

import needletail.server.Log
import needletail.testing.Suite

class RequestLogSuite extends Suite {
  private final class Unsayable extends RuntimeException {
    override def toString: String = throw new IllegalStateException("no text")
  }

  test("a cause whose toString throws is told to both, and keeps nothing else from being told") {
    var causes = List.empty[Throwable]
    val under  = new Log {
      def warn(message: String): Unit                    = ()
      def error(message: String, cause: Throwable): Unit = causes = cause :: causes
    }
    val log  = new RequestLog(under)
    var told = List.empty[String]
    log.listener = line => told = line :: told
    val cause = new Unsayable
    log.error("a handler failed", cause)
    assertEquals(causes, List(cause))
    assert(told.head.startsWith("needletail: a handler failed: ") && told.head.contains("Unsayable"), told)
  }
}
