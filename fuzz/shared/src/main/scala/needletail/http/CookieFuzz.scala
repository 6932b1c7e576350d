package needletail.http

import needletail.fuzz.{Check, FuzzTarget}
import needletail.http.message.Cookie

/** Cookie headers by [[Cookie]]: the same as a split at semicolons; a cookie that can be set is parsed to the same. */
object CookieFuzz extends FuzzTarget("cookie") {
  private val Name = """[-!#$%&'*+.^_`|~0-9A-Za-z]+""".r

  def check(data: Array[Byte]): Unit = {
    val text     = Check.text(data)
    val cookies  = Cookie.parse(text)
    val expected = text.split(";", -1).toList.flatMap { part =>
      part.split("=", 2).toList match {
        case List(name, value) if Name.pattern.matcher(name.trim).matches =>
          List(name.trim -> bare(value.trim))
        case _ => Nil
      }
    }
    Check.same("another reader", cookies, expected)
    val settable = cookies.flatMap { case (name, value) =>
      try List(Cookie(name, value, sameSite = None))
      catch { case _: IllegalArgumentException => Nil }
    }
    settable.foreach(cookie =>
      Check.same("set and read", Cookie.parse(cookie.render), List(cookie.name -> cookie.value))
    )
    Check.same(
      "sent together and read",
      Cookie.parse(settable.map(_.render).mkString("; ")),
      settable.map(cookie => cookie.name -> cookie.value)
    )
  }

  override def read(data: Array[Byte]): Unit = { Cookie.parse(Check.text(data)); () }

  private def bare(value: String) =
    if (value.length >= 2 && value.startsWith("\"") && value.endsWith("\"")) value.drop(1).dropRight(1)
    else value
}
