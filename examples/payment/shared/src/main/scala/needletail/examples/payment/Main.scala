package needletail.examples.payment

import needletail.examples.Options
import needletail.examples.services.{Fault, Program}

object Main {
  private val options = Options("payment", "The store's payment service: accepts every amount, in 20 ms.")
  private val program = new Program(options)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val fault = new Fault
    program.run(chosen, Some(fault.routes))(new Payment(fault).routes)
  }
}
