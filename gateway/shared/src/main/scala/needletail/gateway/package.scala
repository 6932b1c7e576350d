package needletail

/**
 * CGI, FastCGI and SCGI: routes behind a web server, and (in `host`) other people's programs behind routes.
 *
 * Types that users name and that packages below define are re-exported here.
 */
package object gateway {
  type FrontProtocol  = serve.FrontProtocol
  type GatewayConfig  = serve.GatewayConfig
  type GatewayRequest = format.cgi.GatewayRequest

  val FrontProtocol: serve.FrontProtocol.type        = serve.FrontProtocol
  val GatewayConfig: serve.GatewayConfig.type        = serve.GatewayConfig
  val GatewayRequest: format.cgi.GatewayRequest.type = format.cgi.GatewayRequest
}
