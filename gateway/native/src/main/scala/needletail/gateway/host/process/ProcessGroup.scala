package needletail.gateway.host.process

import java.util.concurrent.{CountDownLatch, TimeUnit}

/** A program with all processes it has started. */
private[host] object ProcessGroup {

  /** Kills it and waits for it: a killed process ends soon, unless it waits for a disk or a network. */
  def killAndReap(pid: Int): Unit = {
    HostKernel.signal(pid, 1)
    val never = new CountDownLatch(1) // Thread.sleep would use descriptors
    var tries = 0
    while (HostKernel.reap(pid) < 0 && tries < 500) {
      never.await(1, TimeUnit.MILLISECONDS)
      tries += 1
    }
  }
}
