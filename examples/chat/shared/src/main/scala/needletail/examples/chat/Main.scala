package needletail.examples.chat

import needletail.examples.{Listening, Options}

object Main {
  private val options   = Options("chat", "Serves a page for chatting in rooms, over WebSockets.")
  private val listening = new Listening(options)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    listening.serve(chosen, new Chat().routes)
  }
}
