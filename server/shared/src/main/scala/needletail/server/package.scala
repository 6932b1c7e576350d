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

  // For protocols other than HTTP.
  type Answer[+O]       = tcp.Answer[O]
  type Codec[I, O]      = needletail.tcp.Codec[I, O]
  type Decoded[+I]      = needletail.tcp.Decoded[I]
  type Decoder[+I]      = needletail.tcp.Decoder[I]
  type TcpServer        = tcp.TcpServer
  type TcpSettings      = config.TcpSettings
  type LoopProtocol     = connection.LoopProtocol
  type Protocol         = connection.Protocol
  type ServedConnection = connection.ServedConnection

  val Answer: tcp.Answer.type              = tcp.Answer
  val Decoded: needletail.tcp.Decoded.type = needletail.tcp.Decoded
  val TcpServer: tcp.TcpServer.type        = tcp.TcpServer
  val TcpSettings: config.TcpSettings.type = config.TcpSettings
}
