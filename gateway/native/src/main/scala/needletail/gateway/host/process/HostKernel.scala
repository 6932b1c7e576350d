package needletail.gateway.host.process

import scala.scalanative.unsafe.*

/**
 * The functions of needletail_gateway_host.c, where they are documented. The one that waits informs the garbage
 * collector.
 */
@extern
@define("__SCALANATIVE_NEEDLETAIL_GATEWAY_HOST")
private[host] object HostKernel {
  @name("needletail_host_start") def start(
      arguments: Ptr[Byte],
      argumentCount: CInt,
      environment: Ptr[Byte],
      environmentCount: CInt,
      directory: Ptr[Byte],
      listening: CInt,
      started: Ptr[Int]
  ): CInt = extern
  @name("needletail_host_has_ended") def hasEnded(pid: CInt): CInt          = extern
  @name("needletail_host_reap") def reap(pid: CInt): CInt                   = extern
  @name("needletail_host_signal") def signal(group: CInt, kill: CInt): Unit = extern
  @name("needletail_host_close") def close(fd: CInt): Unit                  = extern
  @name("needletail_host_kind") def kind(errno: CInt): CInt                 = extern
  @name("needletail_host_message") def message(errno: CInt): CString        = extern
  @name("needletail_host_signals") def signals(restore: CInt): Unit         = extern
  @name("needletail_host_listen") def listen(path: Ptr[Byte]): CInt         = extern
}
