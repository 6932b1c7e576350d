package needletail.gateway.host.incoming

/**
 * The parts of a request's path, in CGI's terms. All texts are bytes, see [[ByteText]].
 *
 * @param script the path up to and including the program's name, decoded: SCRIPT_NAME
 * @param info what follows it, decoded: PATH_INFO; empty, or with a leading slash
 * @param file the program's file; null: unknown
 * @param root the directory that paths are relative to; null: unknown
 */
private[host] final case class ScriptPath(script: String, info: String, file: String, root: String)
