package needletail.gateway.host

import needletail.server.RunningServer

/** A host of FastCGI or SCGI servers that do what a test says. */
abstract class AgainstScripted extends Hosted {
  protected val config: UpstreamConfig = UpstreamConfig(host = hostConfig)

  protected def against(config: UpstreamConfig = config)(script: ScriptedServer.Conversation => Unit)(
      body: (RunningServer, ScriptedServer) => Unit
  ): Unit = {
    val scripted = new ScriptedServer(script)
    try serving(fastcgi("/app", scripted.address, config))(server => body(server, scripted))
    finally scripted.close()
  }

  protected def againstScgi(script: ScriptedServer.Conversation => Unit)(body: RunningServer => Unit)
      : Unit = {
    val scripted = new ScriptedServer(script)
    try serving(scgi("/app", scripted.address, config))(body)
    finally scripted.close()
  }
}
