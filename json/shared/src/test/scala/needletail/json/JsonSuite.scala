package needletail.json

import java.nio.charset.StandardCharsets.UTF_8

import needletail.testing.Suite

class JsonSuite extends Suite {
  private def parsed(text: String): Json  = Json.parse(text).fold(e => fail(e.toString), identity)
  private def error(text: String): String = Json.parse(text).fold(_.toString, json => fail(json.toString))

  test("values are built, written and read again") {
    val value = Json.obj(
      "text"  -> "a \"b\" \\ \n \u007f é \ud83d\ude00",
      "more"  -> Json.arr(1.toJson, -2.5.toJson, true.toJson, Json.Null, Json.obj(), Json.arr()),
      "empty" -> "",
      "none"  -> (None: Option[Int]),
      "list"  -> List(1L, 2L),
      "map"   -> Map("a" -> BigDecimal("1.10"))
    )
    assertEquals(parsed(value.toString), value: Json)
    assertEquals(
      value.toString,
      """{"text":"a \"b\" \\ \n \""" + """u007f é 😀","more":[1,-2.5,true,null,{},[]],"empty":"",""" +
        """"none":null,"list":[1,2],"map":{"a":1.10}}"""
    )
    assertEquals(Json.obj("a" -> 1, "b" -> List("x")).pretty, "{\n  \"a\": 1,\n  \"b\": [\n    \"x\"\n  ]\n}")
  }

  test("strings can stand within a page's script, and are always UTF-8") {
    assertEquals("</script>\u2028".toJson.toString, "\"\\u003c/script>\\u2028\"")
    assertEquals("a\ud800b".toJson.toString, "\"a\\ud800b\"")
  }

  test("numbers are exact, and equal if they are written alike") {
    val digits = "123456789012345678901234567890.10"
    assertEquals(parsed(digits).toString, digits)
    assertEquals(parsed(digits).as[BigDecimal], Right(BigDecimal(digits)))
    assertNotEquals(parsed("1.0"), parsed("1"))
    assertEquals(
      List(20.0, -0.5, 1e300, Double.NaN).map(_.toJson.toString),
      List("20", "-0.5", "1.0E300", "null")
    )
  }

  test("an object's members are in order for a reader, and not for equality") {
    val json = parsed("""{"b":1,"a":2}""")
    assertEquals(json.toString, """{"b":1,"a":2}""")
    assertEquals(json, parsed("""{"a":2,"b":1}"""))
    assertEquals(json.hashCode, parsed("""{"a":2,"b":1}""").hashCode)
    val changed = Json.obj("a" -> 1, "b" -> 2) + ("a" -> 3) - "b"
    assertEquals(changed.toString, """{"a":3}""")
  }

  test("a name twice is an error, or the last one counts; in large objects too") {
    assertEquals(
      error("""[{"a":1,"a":2}]"""),
      "malformed JSON: field '[0]': duplicate member 'a' at byte 8"
    )
    // the place is that of the second name, whatever is before it and in it
    val places = List(
      "{\"a\":1,\"a\":2}"                                                    -> 7,
      "{ \"b\" : [1,{\"a\":0}] , \"a\":{\"a\":{}},\n\"\\u0061\" :3,\"a\":4}" -> 36,
      "{\"x\":{\"c\":1,\"d\":2,\"c\":3},\"x\":1}"                            -> 18
    )
    for ((text, place) <- places)
      assertEquals(Json.parse(text).left.map(_.offset).left.getOrElse(-1), place, text)
    val last = JsonLimits(duplicates = DuplicateNames.Last)
    assertEquals(Json.parse("""{"a":1,"b":2,"a":3}""", last).map(_.toString), Right("""{"a":3,"b":2}"""))
    val many = (0 until 100).map(i => s"\"n$i\":$i").mkString("{", ",", ",\"n7\":0}")
    assert(error(many).endsWith(s"duplicate member 'n7' at byte ${many.lastIndexOf("\"n7\"")}"), error(many))
    assertEquals(Json.parse(many, last).map(_.at("n7").as[Int]), Right(Right(0)))
    intercept[IllegalArgumentException](Json.obj("a" -> 1, "a" -> 2))
  }

  test("a syntax error says what, in which field, and at which byte") {
    assertEquals(error(""), "malformed JSON: expected a value instead of the end at byte 0")
    assertEquals(error("[1,]"), "malformed JSON: field '[1]': expected a value at byte 3")
    assertEquals(
      error("{\"amount\":7"),
      "malformed JSON: field 'amount': expected ',' or '}' instead of the end at byte 11"
    )
    assertEquals(
      error("{\"a\":{\"b\":[0,nul]}}"),
      "malformed JSON: field 'a.b[1]': expected a value at byte 13"
    )
    assertEquals(error("[\"é\",01]"), "malformed JSON: field '[1]': expected ',' or ']' at byte 7")
    assertEquals(error("1 2"), "malformed JSON: unexpected data after the end at byte 2")
    assertEquals(error("{a:1}"), "malformed JSON: expected a name in quotes at byte 1")
    assertEquals(error("\"\n\""), "malformed JSON: control character in a string at byte 1")
    assertEquals(error("\"a\ud800\""), "malformed JSON: unpaired surrogate at byte 2")
    assertEquals(error("\"\\ud800\\u0041\""), "malformed JSON: unpaired surrogate at byte 1")
    assertEquals(error("\"\\u12g4\""), "malformed JSON: expected four hexadecimal digits at byte 5")
    assertEquals(error("-"), "malformed JSON: expected a digit instead of the end at byte 1")
  }

  test("UTF-8 is checked: overlong forms, surrogates, beyond U+10FFFF, and what is cut off") {
    def strings(bytes: Int*) = (34 +: bytes :+ 34).map(_.toByte).toArray
    assertEquals(Json.parse(strings(0xf4, 0x8f, 0xbf, 0xbf)).flatMap(_.as[String]), Right("\udbff\udfff"))
    val bad = List(
      Seq(0xc0, 0xaf),
      Seq(0xe0, 0x80, 0xaf),
      Seq(0xed, 0xa0, 0x80),
      Seq(0xf4, 0x90, 0x80, 0x80),
      Seq(0xff),
      Seq(0x80),
      Seq(0xe2, 0x82),
      Seq(0xf0, 0x9f, 0x98),
      Seq(0xc3, 0x28),
      Seq(0xf0, 0x80, 0x80, 0x80)
    )
    bad.foreach { bytes =>
      val result = Json.parse(strings(bytes*))
      assertEquals(result.left.map(e => (e.message, e.offset)), Left(("ill-formed UTF-8", 1)), bytes)
    }
  }

  test("every code point is read as it was, written plainly and as an escape") {
    (0 to 0x10ffff by 7).filterNot(p => p >= 0xd800 && p <= 0xdfff).foreach { point =>
      val text    = new String(Character.toChars(point))
      val escaped = text.map(c => "\\u%04x".format(c.toInt)).mkString("\"", "", "\"")
      if (parsed(escaped) != Json.Str(text) || parsed(Json.Str(text).toString) != Json.Str(text))
        fail(s"U+$point")
    }
  }

  test("bytes, values and lengths of numbers are bounded") {
    def message(text: String, limits: JsonLimits) = Json.parse(text, limits).left.map(_.message)
    assertEquals(message("[1,2,3]", JsonLimits(maxBytes = 6)), Left("more than 6 bytes"))
    assertEquals(message("[1,2,3]", JsonLimits(maxValues = 3)), Left("more than 3 values"))
    assertEquals(
      message("[12345]", JsonLimits(maxNumberLength = 4)),
      Left("a number of more than 4 characters")
    )
    assert(Json.parse("9" * 1000).isRight && Json.parse("9" * 1001).isLeft)
    assertEquals(
      Json.parse("[1,2,3]".getBytes(UTF_8), JsonLimits(7, 1, 4, 1)).map(_.toString),
      Right("[1,2,3]")
    )
  }

  test("the place of an error in a document that is too large takes no memory for each of its levels") {
    val levels = new Array[Byte](JsonLimits.default.maxBytes + 1)
    java.util.Arrays.fill(levels, '['.toByte)
    val message = Json.parse(levels).fold(_.toString, json => fail(json.toString))
    assert(message.endsWith("…': more than 16777216 bytes at byte 16777216"), message)
    assert(FieldPath.at(levels, levels.length, enclosing = false).length < 100)
  }

  test("texts that just fit into what has been reserved, or do not") {
    for (
      length <- (248 to 260) ++ (504 to 516);
      end    <- Seq(
        "",
        "\"",
        "\n",
        "\u0001",
        "<",
        "\u00e9",
        "\u20ac",
        "\u2028",
        "\ud83d\ude00",
        "\ud83d\ude00\u20ac\""
      )
    ) {
      val text = "a" * length + end
      assertEquals(Json.parse(Json.Str(text).toBytes), Right(Json.Str(text): Json), s"$length and $end")
      assertEquals(
        Json.parse(Json.arr(Json.Str(end), Json.Str(text)).toString).map(_.toString.length > length),
        Right(true)
      )
    }
    assertEquals(Json.Str("a" * 255 + "\ud800").toString, "\"" + "a" * 255 + "\\ud800\"")
  }

  test("JSON that is too long is an exception that its loop survives") {
    val output = new JsonOutput(indented = false, maxSize = 300)
    output.raw("1" * 300)
    assertEquals(output.toBytes.length, 300)
    val e = intercept[IllegalStateException](output.raw("1"))
    assertEquals(e.getMessage, "JSON of more than 300 bytes")
  }
}
