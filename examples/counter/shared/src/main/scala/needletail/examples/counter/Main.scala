package needletail.examples.counter

import needletail.examples.{Listening, Options}

object Main {
  private val options   = Options("counter", "Answers GET /dispatcher with 1, 2, 3, ...")
  private val listening = new Listening(options)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    listening.serve(chosen, new Counter().routes)
  }
}
