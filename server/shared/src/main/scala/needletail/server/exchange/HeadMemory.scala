package needletail.server.exchange

import needletail.io.loop.LoopMemory

/**
 * Counts the heads of requests whose replies come later: each is copied, and kept until its reply is complete. They may
 * take half of the loop's memory, as nothing can be reclaimed from handlers at work.
 *
 * The first request in progress on a connection counts if its head is larger than `Uncounted`, those pipelined behind it
 * always. So a request that is answered at once needs none of this.
 */
private[needletail] final class HeadMemory(memory: LoopMemory) {
  private var total = 0L

  /**
   * Whether a request whose head has so many bytes may begin.
   *
   * @param input bytes that the connection holds for input, the head itself among them: they are free once it is used
   */
  def admits(bytes: Int, input: Int): Boolean =
    total + bytes <= memory.bound / 2 && memory.hasRoom(bytes.toLong - input, input.toLong)

  /**
   * Whether the variables that a head is made from may be kept beside it: like much of anything else, they take three
   * quarters of the memory at most, with the heads.
   */
  def admitsVariables(bytes: Int, input: Int): Boolean =
    admits(bytes, input) && memory.hasRoom(bytes.toLong - input, LoopMemory.Small.toLong + input)

  /** Whether no further request of a connection may begin beside those in progress: more than a quarter is taken. */
  def isTight: Boolean = total > memory.bound / 4 || memory.isTight

  def take(bytes: Int): Unit = {
    total += bytes
    memory.fix(bytes.toLong)
    memory.add(bytes.toLong)
  }

  def give(bytes: Int): Unit = {
    total -= bytes
    memory.fix(-bytes.toLong)
    memory.give(bytes.toLong)
  }

  /** Counts kept variables in the loop's memory. They are no head: the one made from them counts as such. */
  def takeVariables(bytes: Int): Unit = {
    memory.fix(bytes.toLong)
    memory.add(bytes.toLong)
  }

  def giveVariables(bytes: Int): Unit = {
    memory.fix(-bytes.toLong)
    memory.give(bytes.toLong)
  }
}

private[needletail] object HeadMemory {

  /** The largest head, in bytes, that a connection may have in progress without its being counted. */
  final val Uncounted = 2048
}
