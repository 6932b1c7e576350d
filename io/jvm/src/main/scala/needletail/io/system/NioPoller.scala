package needletail.io.system

import java.nio.ByteBuffer
import java.nio.channels.{Pipe, SelectionKey, Selector}
import java.util.function.Consumer

import needletail.io.platform.{Descriptor, Interest, PlatformLoop, Pollable, Poller, TransferBuffers}

/** See Platform.scala. */
private[io] final class NioPoller(loop: PlatformLoop) extends Poller {
  import NioPoller.*

  def name: String = "nio"

  useDispatchers()

  private val selector = Selector.open()

  // One object for all waits. The selector calls it for each ready key and keeps no set of selected keys.
  private val onReady: Consumer[SelectionKey] = key =>
    if (key.isValid) { // another event of this wait may have had it closed
      val ops = key.readyOps()
      // Accept and connect are rare; read and write have the values of Interest.
      val ready =
        if ((ops & Rare) == 0) ops
        else if ((ops & SelectionKey.OP_ACCEPT) != 0) Interest.Read
        else Interest.Write
      loop.dispatch(key.attachment().asInstanceOf[Pollable], ready)
    }

  private val buffers = new TransferBuffers

  def register(d: Descriptor, source: Pollable, interest: Int): Unit =
    if (d.key eq null) {
      d.buffers = buffers
      d.interest = interest
      d.key = d.channel.register(selector, d.operations(interest), source)
    } else {
      d.key.attach(source)
      setInterest(d, interest)
    }

  def setInterest(d: Descriptor, interest: Int): Unit = {
    val ops = d.operations(interest) // compared, as a socket has others once it is connected
    d.interest = interest
    if (d.key.interestOps() != ops) { d.key.interestOps(ops); () }
  }

  /** Closing the channel cancels the key. */
  def forget(d: Descriptor): Unit = d.key = null

  def poll(timeoutMillis: Int): Unit = {
    if (timeoutMillis == 0) selector.selectNow(onReady)
    else selector.select(onReady, if (timeoutMillis < 0) 0L else timeoutMillis.toLong)
    // Otherwise an interrupt left by user code would keep every select from waiting, and close channels.
    Thread.interrupted()
    ()
  }

  def wakeUp(): Unit = { selector.wakeup(); () }

  def foreach(f: Pollable => Unit): Unit =
    selector.keys().toArray.foreach { key =>
      f(key.asInstanceOf[SelectionKey].attachment().asInstanceOf[Pollable])
    }

  def close(): Unit =
    try ThreadDelay.close()
    finally selector.close()
}

private[io] object NioPoller {

  /**
   * The JDK's classes for reading and writing open a descriptor when they are first used. If there is none left at
   * that time, they fail permanently, and with them every write of this process. So they are used early.
   */
  private def useDispatchers(): Unit = if (!dispatchersUsed) {
    val pipe = Pipe.open()
    try {
      val byte = ByteBuffer.allocateDirect(1)
      pipe.sink.write(byte)
      byte.clear()
      pipe.source.read(byte)
    } finally {
      pipe.sink.close()
      pipe.source.close()
    }
    dispatchersUsed = true
  }
  @volatile private var dispatchersUsed = false

  private final val Rare = SelectionKey.OP_ACCEPT | SelectionKey.OP_CONNECT
}
