package needletail.gateway.host.process

import needletail.io.EventLoop

/** See Program.scala. */
private[host] final class StartedProgram(process: Process) {
  def attach(loop: EventLoop, killGraceNanos: Long, errors: Array[Byte] => Unit): Program = {
    val program = new JvmProgram(process, loop, killGraceNanos, errors)
    try OutputPoller.add(program)
    catch {
      case e: Throwable =>
        discard()
        Program.over(program)
        throw e
    }
    program
  }

  def kill(): Unit = {
    ProcessGroup.signal(process, kill = true)
    process.waitFor()
    ()
  }

  def discard(): Unit = {
    kill()
    process.getInputStream.close()
    process.getErrorStream.close()
    process.getOutputStream.close()
  }
}
