package needletail.examples.demo

import java.io.IOException

import scala.concurrent.duration._

import needletail.examples.payment.Payment
import needletail.examples.search.Search
import needletail.examples.services.{Fault, LocalOnly, Program}
import needletail.examples.store.Store
import needletail.http.Handler
import needletail.io.Address
import needletail.routing._
import needletail.server._

/**
 * The store, its two services, customers and the page that shows how they do, in one process. Each has loops of its
 * own and they speak over sockets, as if they were on machines of their own.
 *
 * {{{
 *   val demo = new Demo(8081)
 *   try Server(demo.routes, demo.config(ServerConfig())).run(demo.opened)
 *   finally demo.close()
 * }}}
 * @param firstPort for what else listens, on loopback: it or the next free ones; 0: any
 * @param log receives the errors of all parts
 */
final class Demo(firstPort: Int, log: Log = Log.standardError) extends AutoCloseable {
  private val fault      = new Fault
  private val search     = serve(new Search(fault).routes, firstPort)
  private val payment    = serve(new Payment(new Fault).routes, next(search))
  private val store      = new Store(search.url, payment.url, log = log)
  private val operations = new Operations()

  // set when the store listens
  @volatile private var control: RunningServer = null
  @volatile private var customers: Customers   = null

  private val situation = new DemoControls(fault, n => if (customers != null) customers.want(n))
  private val monitor   =
    new Monitor(() => customers.take(), operations, () => store.services, () => situation.json)
  private val live = new Live(monitor, () => controlUrl)

  /** The routes of the store's server. */
  val routes: Routes = store.routes ++ live.routes

  /** Its configuration. */
  def config(base: ServerConfig): ServerConfig =
    Demo.quiet(base).copy(operations = Some(operations), metrics = Seq(store.metrics), log = log)

  /**
   * Where `GET` and `PUT /situation`, `/health`, `/ready` and `/metrics` are served; empty before the store listens.
   */
  def controlUrl: String = if (control == null) "" else control.url

  /** Called when the store listens: starts the customers. */
  def opened(server: RunningServer): Unit = {
    val administration = Routes(
      GET / "health" to operations.health,
      GET / "ready" to operations.ready,
      GET / "metrics" to operations.metrics
    ) ++ situation.routes
    control = serve(new LocalOnly(administration, pages = Set(server.port)), next(payment))
    val url =
      if (server.port == 0) "http://localhost" else server.url // a Unix socket's clients may name any host
    customers = new Customers(url, Demo.reachable(server))
    customers.want(DemoControls.UsualCustomers, Demo.Ramp)
    monitor.start()
  }

  def close(): Unit = {
    monitor.close()
    if (customers != null) customers.close()
    store.close()
    List(control, payment, search).filter(_ != null).foreach(_.close())
  }

  private def serve(handler: Handler, port: Int): RunningServer = {
    val config = ServerConfig(address = Address.Tcp("127.0.0.1", port), loops = 1, log = log)
    Demo.atFree(config, port)(config => Server(handler, Demo.quiet(config)).start())
  }

  private def next(server: RunningServer): Int = if (firstPort == 0) 0 else server.port + 1
}

object Demo {
  private final val Tries = 20

  /** The store's code is compiled while the first customers arrive. */
  private val Ramp = 10.seconds

  /** Started at that port or, if it is in use, at the next free one. */
  private def atFree(
      config: ServerConfig,
      port: Int,
      tries: Int = Tries
  )(start: ServerConfig => RunningServer): RunningServer =
    try start(config.withPort(port))
    catch { case _: IOException if tries > 1 && port > 0 => atFree(config, port + 1, tries - 1)(start) }

  /** All share the processors here, with their customers: a loop that had to wait for one is normal. */
  private def quiet(config: ServerConfig): ServerConfig =
    config.copy(handlerTimeout = Program.HandlerTimeout, blockedLoop = 1.second)

  private def reachable(server: RunningServer): Address = server.address match {
    case Address.Tcp(host, port) if host == "0.0.0.0" || host == "*" || host.isEmpty =>
      Address.Tcp("127.0.0.1", port)
    case other => other
  }
}
