package needletail.gateway.host.process

/** See Program.scala. There is none on the JVM. */
private[host] abstract class Listening {
  def close(): Unit
}
