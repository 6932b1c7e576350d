package needletail.content

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

import scala.util.Try

import needletail.async.Async
import needletail.content.compression.AcceptEncoding
import needletail.content.conditional.{Conditions, EntityTag, Verdict}
import needletail.content.forward.ReverseProxies
import needletail.content.security.Authentication
import needletail.fuzz.{Check, FuzzTarget}
import needletail.http.message.Status
import needletail.http.text.Grammar
import needletail.http.{Headers, Method, Request, StrictFields}
import needletail.io.dns.Network
import needletail.routing._
import needletail.testkit._
import needletail.websocket.deflate.PerMessageDeflate

/**
 * Fields of requests that have a syntax of their own. The first byte says which: entity tags, Accept-Encoding,
 * Sec-WebSocket-Extensions, what proxies say of the client, Authorization; and IP addresses.
 */
object RequestFieldsFuzz extends FuzzTarget("request-fields") {
  def check(data: Array[Byte]): Unit = if (data.length > 0) {
    val text = Check.text(data.drop(1))
    data(0) & 7 match {
      case 0 => tags(text)
      case 1 => codings(text)
      case 2 => extensions(text)
      case 3 => if (Grammar.isFieldValue(text)) proxies(text)
      case 4 => if (Grammar.isFieldValue(text) && text == text.trim) credentials(text)
      case _ => addresses(text)
    }
  }

  override def read(data: Array[Byte]): Unit = {
    val text = Check.text(data.drop(1))
    data(0) & 7 match {
      case 0 => EntityTag.parse(text); ()
      case 1 => AcceptEncoding.choose(text, Offered); ()
      case 2 => new PerMessageDeflate().accept(text); ()
      case 3 =>
        if (Grammar.isFieldValue(text)) { client(standard = true, text); client(standard = false, text); () }
      case 4 => if (Grammar.isFieldValue(text)) { answered(text); () }
      case _ => Network.parse(text); ()
    }
  }

  private val Tag = """(W/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(?:,|\z)""".r

  private def tags(text: String): Unit = {
    var rest  = text.dropWhile(" \t,".contains(_))
    var other = Option(List.empty[EntityTag])
    while (rest.nonEmpty && other.isDefined) {
      val found = Tag.findPrefixMatchOf(rest)
      other = found.flatMap(m => other.map(EntityTag(m.group(2), isWeak = m.group(1) != null) :: _))
      rest = found.fold("")(m => rest.drop(m.end)).dropWhile(" \t,".contains(_))
    }
    val own     = EntityTag("a")
    val request = Request(Method.GET, "/", Headers.empty)
    for (value <- Some(text) if Grammar.isFieldValue(value) && value.trim != "*") {
      val known = new Conditions(Some(own), None)(request.withHeader("If-None-Match", value))
      Check.same("If-None-Match", known == Verdict.NotModified, other.exists(_.exists(_.opaque == "a")))
      val current = new Conditions(Some(own), None)(request.withHeader("If-Match", value))
      Check.same("If-Match", current == Verdict.Proceed, other.exists(_.contains(own)))
    }
    val one = EntityTag.parse(text)
    Check.same("a tag", one, other.collect { case List(tag) => tag })
    one.foreach(tag => Check.same("a tag written and read", EntityTag.parse(tag.toString), one))
  }

  private val Offered = List("zstd", "gzip", "br")
  private val Weight  = """[qQ]=([01](?:\.[0-9]{0,3})?)""".r

  private def codings(text: String): Unit = {
    val members = text.split(",").toList.map(_.split(";", 2).map(_.trim)).map { parts =>
      val weight = parts.lift(1) match {
        case None            => BigDecimal(1)
        case Some(Weight(q)) => BigDecimal(q.stripSuffix(".")).min(1)
        case _               => BigDecimal(0)
      }
      parts(0).toLowerCase -> weight
    }
    def named(names: String*) = members.collectFirst { case (coding, q) if names.contains(coding) => q }
    val any                   = members.reverse.collectFirst { case ("*", q) => q }
    val liked                 = Offered.map { coding =>
      coding -> named(coding, if (coding == "gzip") "x-gzip" else coding).orElse(any).getOrElse(BigDecimal(0))
    }
    val most  = liked.map(_._2).max
    val other =
      if (most > 0 && named("identity").forall(_ <= most)) liked.find(_._2 == most).map(_._1) else None
    Check.same("a coding", AcceptEncoding.choose(text, Offered), other)
  }

  private val Bits =
    """(server|client)_max_window_bits(?:[\x00-\x20]*=[\x00-\x20]*(?:([89]|1[0-5])|"([89]|1[0-5])"))?""".r
  private val Takeovers = Set("server_no_context_takeover", "client_no_context_takeover")

  /** The parameters of an extension, with the bits that they set; None if they must not be accepted. */
  private def parameters(text: String, isAnswer: Boolean): Option[Map[String, Int]] = {
    val all   = text.split(";").toList.map(_.trim)
    val known = all.drop(1).map {
      case name if Takeovers(name)    => Some(name -> 0)
      case Bits("client", null, null) => if (isAnswer) None else Some("client" -> 15)
      case Bits("server", null, null) => None
      case Bits(side, plain, quoted)  => Some(side -> Option(plain).getOrElse(quoted).toInt)
      case _                          => None
    }
    if (!all.headOption.contains("permessage-deflate") || known.contains(None)) None
    else Some(known.flatten.toMap).filter(_.size == known.size)
  }

  private def extensions(text: String): Unit =
    for (takeover <- List(true, false); bits <- List(15, 9)) {
      val own    = PerMessageDeflate(contextTakeover = takeover, maxWindowBits = bits)
      val answer = own.accept(text)
      val asked  = text.split(",").toList.flatMap(parameters(_, isAnswer = false)).headOption
      Check.same("whether an offer is accepted", answer != null, asked.isDefined)
      asked.foreach { offer =>
        val said =
          parameters(answer.answer, isAnswer = true).getOrElse(throw new AssertionError(answer.answer))
        Check(said.getOrElse("server", 15) <= offer.getOrElse("server", 15).min(bits), answer.answer)
        if (said.contains("client")) Check(offer.contains("client"), "bits that a client did not offer")
        for (name <- Takeovers if offer.contains(name) || !takeover) Check(said.contains(name), s"no $name")
        Check.same("again", own.accept(text).answer, answer.answer)
      }
      val agreed = parameters(text, isAnswer = true).filter(_ => !text.contains(','))
      Check.same(
        "whether an answer is agreed to",
        own.agreed(text) != null,
        agreed.exists(takeover || _.contains("server_no_context_takeover"))
      )
    }

  /** The address and the scheme of the client of a request that comes from a proxy with these fields. */
  private def client(standard: Boolean, values: String*): (String, Boolean) = {
    val proxies = ReverseProxies(Seq("127.0.0.1", "10.0.0.0/8"), standard)
    val fields  = values.map((if (standard) "Forwarded" else "X-Forwarded-For") -> _)
    val request = Request(Method.GET, "/", Headers(fields: _*))
    proxies(request)
    (request.connection.remoteAddress, request.connection.isSecure)
  }

  /** Whatever a client sends, what a trusted proxy appends counts. */
  private def proxies(text: String): Unit = {
    val said = """for="[2001:db8::7]:80";proto=https"""
    for (values <- List(Seq(s"$text, $said"), Seq(text, said), Seq(s"$text,$said, for=10.1.1.1;proto=http")))
      Check.same("what a proxy appends", client(standard = true, values: _*)._1, "[2001:db8::7]:80")
    Check.same("the scheme", client(standard = true, s"$text, $said")._2, true)
    for (values <- List(Seq(s"$text, 192.0.2.7"), Seq(text, "192.0.2.7"), Seq(s"$text,192.0.2.7:0,10.1.1.1")))
      Check.same("what a proxy appends", client(standard = false, values: _*)._1, "192.0.2.7:0")
    for (standard <- List(true, false)) {
      val (address, port) = client(standard, text)._1.splitAt(client(standard, text)._1.lastIndexOf(':'))
      val host            = address.stripPrefix("[").stripSuffix("]")
      Check.same("an address", Network.endpoint(host, port.drop(1).toInt), Some(address + port))
    }
  }

  private val guarded = Routes(
    GET / "basic" + Authentication.basic("a")((user, word) => Async.value(Some(s"$user:$word"))) to (_.ok),
    GET / "bearer" + Authentication.bearer("a")(token => Async.value(Some(token))) to (_.ok)
  )

  /** What the filters take from Authorization; None if they refuse it. */
  private def answered(text: String): List[Option[String]] = List("/basic", "/bearer").map { path =>
    val reply = guarded.test(Request(Method.GET, path, Headers("Authorization" -> text)))
    if (reply.status == Status.Ok) Some(reply.text)
    else {
      Check.same("the status", reply.status.code, 401)
      None
    }
  }

  private def credentials(text: String): Unit = {
    val (scheme, rest)   = text.span(_ != ' ')
    def of(name: String) = Some(rest.trim).filter(_.nonEmpty && scheme.equalsIgnoreCase(name))
    val pair = of("basic").flatMap(v => Try(Base64.getDecoder.decode(v)).toOption).map(new String(_, UTF_8))
    Check.same("credentials", answered(text), List(pair.filter(_.contains(':')), of("bearer")))
    val packed = Base64.getEncoder.encodeToString(s"a:$text".getBytes(UTF_8))
    Check.same("written and read", answered(s"bAsic $packed").head, Some(s"a:$text"))
  }

  private val Ipv4 = """(0|[1-9][0-9]{0,2})(?:\.(0|[1-9][0-9]{0,2})){3}""".r

  private def isAddress(text: String): Boolean =
    if (text.contains(':')) text.matches("[0-9A-Fa-f:.]*") && StrictFields.isAuthority(s"[$text]")
    else Ipv4.pattern.matcher(text).matches && text.split('.').forall(_.toInt <= 255)

  private def addresses(text: String): Unit = {
    val read = Network.endpoint(text, 80)
    Check.same("whether it is an address", read.isDefined, isAddress(text))
    read.foreach { written =>
      val host = written.stripSuffix(":80").stripPrefix("[").stripSuffix("]")
      Check.same("an address written and read", Network.endpoint(host, 80), read)
      Check(Network.parse(text).exists(_.contains(host)), s"$text does not contain itself as $host")
    }
    val slash = text.lastIndexOf('/')
    if (slash >= 0) Network.parse(text).foreach { network =>
      val own = text.take(slash)
      Check(isAddress(own), s"$text is a network")
      // an IPv4 address that is written as an IPv6 one is none of a wider IPv6 network
      val isOfBoth = own.contains(':') && !Network.endpoint(own, 0).exists(_.startsWith("["))
      if (!isOfBoth || text.drop(slash + 1).toInt >= 96)
        Check(network.contains(own), s"$text does not contain its own address")
    }
  }
}
