package needletail

/**
 * The client of HTTP.
 *
 * Types that users name and that packages below define are re-exported here.
 */
package object client {
  type Balancing         = config.Balancing
  type BalancingConfig   = config.BalancingConfig
  type BreakerConfig     = config.BreakerConfig
  type ClientConfig      = config.ClientConfig
  type ContentDecoding   = config.ContentDecoding
  type CookieJar         = cookies.CookieJar
  type StoredCookie      = cookies.StoredCookie
  type HttpProxy         = config.HttpProxy
  type Proxies           = config.Proxies
  type RetryConfig       = config.RetryConfig
  type Call              = call.Call
  type ClientResponse    = call.ClientResponse
  type StreamedResponse  = call.StreamedResponse
  type ClientError       = error.ClientError
  type BreakerState      = policy.BreakerState
  type AddressStatistics = pool.AddressStatistics
  type HostStatistics    = pool.HostStatistics
  type Latency           = pool.Latency

  val Balancing: config.Balancing.type               = config.Balancing
  val BalancingConfig: config.BalancingConfig.type   = config.BalancingConfig
  val BreakerConfig: config.BreakerConfig.type       = config.BreakerConfig
  val ClientConfig: config.ClientConfig.type         = config.ClientConfig
  val StoredCookie: cookies.StoredCookie.type        = cookies.StoredCookie
  val HttpProxy: config.HttpProxy.type               = config.HttpProxy
  val Proxies: config.Proxies.type                   = config.Proxies
  val RetryConfig: config.RetryConfig.type           = config.RetryConfig
  val ClientError: error.ClientError.type            = error.ClientError
  val BreakerState: policy.BreakerState.type         = policy.BreakerState
  val AddressStatistics: pool.AddressStatistics.type = pool.AddressStatistics
  val HostStatistics: pool.HostStatistics.type       = pool.HostStatistics
  val Latency: pool.Latency.type                     = pool.Latency
}
