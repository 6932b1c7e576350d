package needletail.examples.search

import needletail.examples.Options
import needletail.examples.services.{Fault, Program}

object Main {
  private val options = Options("search", "The store's search service: finds two products, in 20 ms.")
  private val program = new Program(options)
  private val down    = options.flag("down", "take 30 seconds for each request, then respond with 500")

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val fault = new Fault(chosen(down))
    program.run(chosen, Some(fault.routes))(new Search(fault).routes)
  }
}
