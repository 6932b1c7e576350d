package needletail.client.pool

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import needletail.async.Loop
import needletail.client.config.ClientConfig
import needletail.client.url.Origin
import needletail.io.Address

/**
 * The hosts and services that a client knows: at most `maxHosts`, beyond which the least recently used one is
 * forgotten. For any thread.
 *
 * @param onForgotten called with each host that is forgotten, on the thread that caused it
 */
private[client] final class HostRegistry(config: ClientConfig, onForgotten: Host => Unit) {
  private val hosts = new ConcurrentHashMap[AnyRef, Host] // by `Host.key`

  /** Every known host, by name. */
  def all: Seq[Host] = hosts.values.asScala.toSeq.sortBy(_.name)

  /** The host of an origin; added if it is not known. */
  def of(origin: Origin): Host = known(origin.text, new Host(origin, List(origin.address), config))

  /** The service of an origin at these addresses; added if it is not known. */
  def of(origin: Origin, addresses: Seq[Address]): Host =
    known(
      Host.ServiceKey(origin.text, addresses.toList),
      new Host(origin, addresses, config, isService = true)
    )

  private def known(key: AnyRef, make: => Host): Host = {
    val known = hosts.get(key)
    if (known != null) known else add(make)
  }

  private def add(fresh: Host): Host = {
    makeRoom()
    put(fresh)
  }

  private def makeRoom(): Unit = if (hosts.size >= config.maxHosts) forgetLeastRecent()

  private def put(fresh: Host): Host = {
    fresh.usedAt = Loop.nanoTime()
    val other = hosts.putIfAbsent(fresh.key, fresh)
    if (other != null) other else fresh
  }

  /**
   * The known host with the key of `host`: itself, unless it was dropped and another one with its key was added since.
   * A dropped host is added again.
   */
  def current(host: Host): Host =
    if (!host.isForgotten) host
    else {
      val present = hosts.get(host.key)
      if (present != null && (present ne host)) present // nothing is added, so nothing is to be forgotten
      else {
        makeRoom() // not within the lock, as it takes another host's
        addAgain(host)
      }
    }

  private def addAgain(host: Host): Host =
    host.synchronized { // it sets two things, as removing does, on any thread
      val present = put(host)
      if (present eq host) host.isForgotten = false
      present
    }

  private def forgetLeastRecent(): Unit = {
    val now = Loop.nanoTime()
    hosts.values.asScala.maxByOption(host => now - host.usedAt).foreach(forget)
  }

  /** Removes a host. */
  def forget(host: Host): Unit = {
    host.synchronized {
      hosts.remove(host.key, host)
      host.isForgotten = true
    }
    onForgotten(host)
  }
}
