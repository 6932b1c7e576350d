package needletail.load.engine.machine

import java.net.{InetAddress, NetworkInterface, UnknownHostException}

import scala.util.control.NonFatal

import needletail.io.Address
import needletail.load.engine.compiled.Target
import needletail.load.result.Machine

/** Describes this machine and its limits, as far as the system reports them. */
private[engine] object MachineProbe {
  def of(targets: Vector[Target], proc: ProcFiles = ProcFiles.system): Machine = {
    val ports    = proc.numbers("sys/net/ipv4/ip_local_port_range")
    val reuse    = proc.number("sys/net/ipv4/tcp_tw_reuse")
    val isLocal  = targets.exists(_.addresses.exists(isHere))
    val loopback = targets.nonEmpty && targets.forall(_.addresses.forall(isLoopback))
    Machine(
      host = hostName,
      system = List("os.name", "os.version", "os.arch").map(System.getProperty(_, "")).mkString(" "),
      runtime =
        s"${System.getProperty("java.vm.name", "")} ${System.getProperty("java.runtime.version", "")}",
      tool =
        s"needletail-load ${Option(getClass.getPackage.getImplementationVersion).getOrElse("(unreleased)")}",
      cores = Runtime.getRuntime.availableProcessors,
      firstPort = ports.headOption.fold(-1)(_.toInt),
      lastPort = ports.lift(1).fold(-1)(_.toInt),
      timeWaitSeconds = timeWait(reuse, loopback),
      descriptors = proc.descriptors,
      backlog = proc.number("sys/net/core/somaxconn").toInt,
      sharedWithTarget = isLocal,
      warnings = Vector.empty,
      processors = proc.processors
    )
  }

  /** The ports of those targets that are on this machine. */
  def ports(targets: Vector[Target]): Set[Int] =
    targets.flatMap(_.addresses).filter(isHere).collect { case Address.Tcp(_, port) => port }.toSet

  /**
   * Linux keeps a closed connection's port for 60 s, a constant. If it may be reused for outgoing connections
   * (tcp_tw_reuse 1, or 2, the default, on the loopback device), it may after a second.
   */
  private def timeWait(reuse: Long, loopback: Boolean): Int =
    if (reuse < 0) -1 else if (reuse == 1 || (reuse == 2 && loopback)) 1 else 60

  private def hostName: String =
    try InetAddress.getLocalHost.getHostName
    catch { case _: UnknownHostException => "" }

  private def isLoopback(address: Address): Boolean = address match {
    case Address.Tcp(host, _) => resolved(host).exists(_.isLoopbackAddress)
    case _                    => true
  }

  /** Whether it is an address of this machine. */
  private def isHere(address: Address): Boolean = address match {
    case Address.Tcp(host, _) =>
      resolved(host).exists(ip => ip.isLoopbackAddress || ip.isAnyLocalAddress || hasInterface(ip))
    case _ => true
  }

  private def hasInterface(ip: InetAddress): Boolean =
    try NetworkInterface.getByInetAddress(ip) != null
    catch { case NonFatal(_) => false }

  // Names were looked up before; one that has no address is not on this machine.
  private def resolved(host: String): Option[InetAddress] =
    if (host.indexOf(':') >= 0 || host.forall(c => c == '.' || (c >= '0' && c <= '9')))
      try Some(InetAddress.getByName(host))
      catch { case _: UnknownHostException => None }
    else None
}
