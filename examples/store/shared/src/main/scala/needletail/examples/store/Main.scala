package needletail.examples.store

import needletail.examples.Options
import needletail.examples.services.Program

object Main {
  private val options    = Options("store", "An online store: an index page, a search, and payments.")
  private val program    = new Program(options)
  private val searchUrl  = options.text("search", "http://127.0.0.1:8081", "URL of the search service")
  private val paymentUrl = options.text("payment", "http://127.0.0.1:8082", "URL of the payment service")

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val store =
      try new Store(chosen(searchUrl), chosen(paymentUrl))
      catch {
        case e: IllegalArgumentException =>
          System.err.println(s"store: ${e.getMessage}")
          sys.exit(2)
      }
    try program.run(chosen, metrics = Seq(store.metrics))(store.routes)
    finally store.close()
  }
}
