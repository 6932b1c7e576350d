package needletail.routing

import needletail.http.{MediaType, Response}
import needletail.http.text.Markup
import needletail.routing.internal.description.{Description, ParameterDescription, RouteDescription}

/**
 * A page that lists routes with their documentation, and tries them from the browser. It is for development, because it shows
 * everybody who can reach the server which routes there are.
 * {{{
 * Server(RoutesPage(routes), port = 8080).run() // NEEDLETAIL_ROUTES=on adds /routes
 * }}}
 */
object RoutesPage {

  /** Whether the environment variable NEEDLETAIL_ROUTES is `on`. */
  def isOn: Boolean = sys.env.get("NEEDLETAIL_ROUTES").contains("on")

  /**
   * `routes` and, if `on`, `GET /path`, the page about them, with its script below it. Throws IllegalArgumentException if
   * one of `routes` answers that path.
   */
  def apply(routes: Routes, on: Boolean = isOn, path: String = "routes"): Routes =
    if (!on) routes
    else {
      val page   = html(routes.describe, s"/${path.stripPrefix("/")}/script.js")
      val script = Response.ok.contentType("text/javascript; charset=utf-8").text(Script)
      val pages  = Routes(
        (GET / path to guarded(page)).doc("This page"),
        (GET / path / "script.js" to guarded(script)).doc("The script of this page")
      )
      try routes ++ pages
      catch {
        case e: IllegalArgumentException =>
          throw new IllegalArgumentException(
            s"${e.getMessage}; for a page of routes elsewhere: RoutesPage(routes, path = \"…\")",
            e
          )
      }
    }

  /** Only the page's own script may run, and other sites must not frame it. */
  private def guarded(response: Response): Response =
    response
      .header(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; " +
          "form-action 'none'; frame-ancestors 'none'"
      )
      .header("X-Content-Type-Options", "nosniff")
      .header("Cache-Control", "no-store")

  private def html(description: Description, script: String): Response =
    Response.ok
      .contentType("text/html; charset=utf-8")
      .text(s"""<!doctype html>
               |<html lang="en">
               |<head><meta charset="utf-8"><title>Routes</title><style>$Style</style></head>
               |<body>
               |<h1>Routes</h1>
               |${description.routes.map(section).mkString("\n")}
               |<script src="${escape(script)}"></script>
               |</body>
               |</html>
               |""".stripMargin)

  private def section(route: RouteDescription): String = {
    val method = route.method.fold("any method")(_.name)
    val doc    = if (route.doc.isEmpty) "" else s"<p>${escape(route.doc)}</p>"
    val fields = rest(route) ++ route.parameters.map(field) ++ authorization(route)
    s"""<form data-method="${escape(route.method.fold("GET")(_.name))}" data-path="${escape(route.path)}">
       |<h2><b>${escape(method)}</b> ${escape(route.path)}</h2>
       |$doc
       |${fields.mkString("\n")}
       |<button>Send</button>
       |<pre hidden></pre>
       |</form>""".stripMargin
  }

  /** A path that ends in `*` has a part that is not a parameter. */
  private def rest(route: RouteDescription): List[String] =
    if (route.path.endsWith("*")) List(input("rest", "*", "the rest of the path", required = false)) else Nil

  /** What most filters ask for; a header that is left empty is not sent. */
  private def authorization(route: RouteDescription): List[String] =
    if (route.parameters.exists(_.in == "filter"))
      List(input("header", "Authorization", "Authorization (header, if required)", required = false))
    else Nil

  private def field(parameter: ParameterDescription): String = {
    val p = parameter
    p.in match {
      case "filter" => s"<p>requires: ${escape(p.name)}</p>"
      case "body"   =>
        s"""<label>body (${escape(p.typeName)}) <textarea data-in="body" data-type="${mediaType(
            p
          )}"></textarea></label>"""
      case "cookie" => s"<p>cookie ${escape(p.name)}: ${escape(p.typeName)}, as the browser has it</p>"
      case in       =>
        val label = if (p.name == p.typeName) s"${p.name} ($in)" else s"${p.name} (${p.typeName}, $in)"
        input(in, p.name, label, p.required)
    }
  }

  /** The Content-Type of a body that is typed in; empty where the text decides. */
  private def mediaType(body: ParameterDescription): String =
    if (body.typeName == "form") MediaType.Form else ""

  private def input(in: String, name: String, label: String, required: Boolean): String =
    s"""<label>${escape(label)} <input data-in="${escape(in)}" data-name="${escape(name)}"${if (required)
        " required"
      else ""}></label>"""

  /** A text within an element or an attribute in double quotes. */
  private[routing] def escape(text: String): String = {
    val out = new java.lang.StringBuilder(text.length + 16)
    Markup.escape(text, out)
    out.toString
  }

  private val Style =
    "body{font:15px/1.4 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}" +
      "form{border-top:1px solid #ccc;padding:.5rem 0}h2{font-size:1rem;font-family:monospace;font-weight:normal}" +
      "label{display:block;margin:.3rem 0}textarea{display:block;width:100%;height:5rem}" +
      "pre{background:#f4f4f4;padding:.5rem;overflow:auto;max-height:20rem}"

  /** Sends the request described by a route's form, and shows the response as text. */
  private val Script =
    """for (const form of document.forms) form.addEventListener("submit", async event => {
      |  event.preventDefault();
      |  const out = form.querySelector("pre"), headers = {}, query = new URLSearchParams();
      |  let path = form.dataset.path, body, type = "";
      |  for (const field of form.querySelectorAll("[data-in]")) {
      |    const name = field.dataset.name, value = field.value;
      |    switch (field.dataset.in) {
      |      case "path": path = path.replace("{" + name + "}", () => encodeURIComponent(value)); break;
      |      case "rest": path = path.slice(0, -1) + value.split("/").map(encodeURIComponent).join("/"); break;
      |      case "query": if (value !== "" || field.required) query.append(name, value); break;
      |      case "header": if (value !== "") headers[name] = value; break;
      |      case "body": body = value; type = field.dataset.type; break;
      |    }
      |  }
      |  const method = form.dataset.method;
      |  if (method === "GET" || method === "HEAD") body = undefined;
      |  if (type === "" && /^\s*[\[{]/.test(body || "")) type = "application/json";
      |  if (body !== undefined && type !== "") headers["Content-Type"] = type;
      |  out.hidden = false;
      |  out.textContent = "…";
      |  try {
      |    const from = performance.now();
      |    const response = await fetch(path + (query.size ? "?" + query : ""), {method, headers, body});
      |    const text = await response.text();
      |    const lines = [...response.headers].map(([name, value]) => name + ": " + value);
      |    out.textContent = response.status + " " + response.statusText + ", " + Math.round(performance.now() - from) +
      |      " ms\n" + lines.join("\n") + "\n\n" + text;
      |  } catch (error) { out.textContent = String(error); }
      |});
      |""".stripMargin
}
