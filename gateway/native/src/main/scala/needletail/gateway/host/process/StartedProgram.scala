package needletail.gateway.host.process

import needletail.io.EventLoop

/** See Program.scala. */
private[host] final class StartedProgram(private[process] val numbers: Array[Int]) {
  private val pid = numbers(0)

  def attach(loop: EventLoop, killGraceNanos: Long, errors: Array[Byte] => Unit): Program =
    new NativeProgram(numbers, loop, killGraceNanos, errors)

  def kill(): Unit = ProcessGroup.killAndReap(pid)

  def discard(): Unit = {
    kill()
    numbers.drop(1).foreach(fd => if (fd >= 0) HostKernel.close(fd))
  }
}
