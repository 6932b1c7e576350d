package needletail.server.exchange

import needletail.http.{Refusal, Response}
import needletail.io.loop.LoopMemory
import needletail.server.clock.Clock
import needletail.server.config.ServerConfig
import needletail.server.failure.HandlerFailures
import needletail.server.operations.{AccessLog, Log, LoopCounts}
import needletail.server.overload.AdmissionController

/**
 * State shared by the connections of one loop, independent of their protocol: the configuration, counts, admission
 * control, memory and timeouts. Used on the loop only.
 *
 * @param loops how many loops share the limits of the whole server
 * @param foreign the warnings of peers that do not begin with HTTP; one for the whole server
 */
private[needletail] abstract class LoopServices(
    clock: Clock,
    final val config: ServerConfig,
    loops: Int,
    final val memory: LoopMemory,
    foreign: ForeignPeers
) {
  final val log: Log = Log.guarded(config.log)

  final val counts    = new LoopCounts
  final val admission =
    new AdmissionController(clock, config.overload, loops, new HandlerFailures(clock, counts, log))

  /** The part of the memory that is held by requests in progress. */
  final val heads = new HeadMemory(memory)

  /** The response to requests for which there is no memory. */
  final val memoryShort: Response = admission.response(Refusal.Memory)

  // durations of the configuration in nanoseconds, as every request needs them

  final val headNanos: Long      = config.headTimeout.toNanos
  final val bodyNanos: Long      = config.bodyTimeout.toNanos
  final val bodyGraceNanos: Long = config.bodyGrace.toNanos
  final val handlerNanos: Long   = config.handlerTimeout.toNanos
  final val writeNanos: Long     = config.writeTimeout.toNanos
  final val halfCloseNanos: Long = config.halfCloseGrace.toNanos
  final val silenceNanos: Long   = config.streamKeepAlive.toNanos

  // limits of the configuration, for the same reason

  final val maxBody: Long         = config.maxBody
  final val maxPipelined: Int     = config.maxPipelined
  final val maxPendingOutput: Int = config.maxPendingOutput

  /** The idle timeout; shorter than configured while the server is crowded. */
  final var idleNanos: Long = config.idleTimeout.toNanos

  /**
   * How long closing a connection may take, in nanoseconds; no longer than it may be idle while the server is crowded.
   */
  final def lingerNanos: Long = {
    val most = config.lingerTimeout.toNanos
    if (idleNanos < config.idleTimeout.toNanos) Math.min(most, idleNanos) else most
  }

  /** Null if there is none. */
  final val accessLog: AccessLog = config.accessLog.orNull

  /** A request of that peer is malformed, in these bytes: logs what it is instead, if that is known. */
  final def reportMalformed(peer: String, bytes: Array[Byte], from: Int, until: Int): Unit =
    foreign.refused(log, nanos, peer, bytes, from, until)

  /** The clock, read now, in nanoseconds. */
  final def nanos: Long = clock.nanos
}
