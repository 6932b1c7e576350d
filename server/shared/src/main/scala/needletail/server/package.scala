package needletail

/**
 * Servers of HTTP and of other protocols.
 *
 * Types that users name and that packages below define are re-exported here.
 */
package object server {
  type AdminConfig    = config.AdminConfig
  type ServerConfig   = config.ServerConfig
  type OverloadConfig = overload.OverloadConfig
  type CannotListen   = failure.CannotListen
  type ConnectionLost = failure.ConnectionLost
  type AccessLog      = operations.AccessLog
  type Log            = operations.Log
  type LoopCounts     = operations.LoopCounts
  type Operations     = operations.Operations
  type Statistics     = operations.Statistics

  val ServerConfig: config.ServerConfig.type       = config.ServerConfig
  val AdminConfig: config.AdminConfig.type         = config.AdminConfig
  val Statistics: operations.Statistics.type       = operations.Statistics
  val OverloadConfig: overload.OverloadConfig.type = overload.OverloadConfig
  val Log: operations.Log.type                     = operations.Log

  // For protocols other than HTTP, whose codecs are in `needletail.tcp`.
  type Answer[+O]            = tcp.Answer[O]
  type MessageConnection[-O] = tcp.MessageConnection[O]

  val Answer: tcp.Answer.type = tcp.Answer
}
