package needletail.load.report.data

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8
import javax.xml.parsers.DocumentBuilderFactory

import needletail.testing.{Language, Suite}

class JUnitSuite extends Suite {
  private def parsed(xml: String) =
    DocumentBuilderFactory.newInstance.newDocumentBuilder.parse(new ByteArrayInputStream(xml.getBytes(UTF_8)))

  test("each assertion is a test case, and one that failed says why") {
    val xml = parsed(JUnit.xml(
      "GET /",
      Vector(
        AssertionText("run", "p99 < 50 ms", passed = true, "p99 is 20 ms"),
        AssertionText("run", "errors < 1 %", passed = false, "errors is 2 %")
      ),
      1.5,
      Vector("a report")
    ))
    assertEquals(xml.getElementsByTagName("testcase").getLength, 2)
    assertEquals(xml.getElementsByTagName("failure").getLength, 1)
    val failure =
      xml.getElementsByTagName("failure").item(0).getAttributes.getNamedItem("message").getTextContent
    assertEquals(failure, "errors is 2 %")
    assertEquals(xml.getDocumentElement.getAttribute("failures"), "1")
  }

  test("times are in the digits of XML, whatever the machine's language is") {
    for (language <- Seq("de-DE", "ar-EG"))
      Language.of(language) {
        val xml = JUnit.xml("a", Vector.empty, 6.882, Nil)
        assert(xml.contains("time=\"6.882\""), xml)
      }
  }

  test("texts from outside stay texts, whatever they hold") {
    val evil = "</testsuite><x a=\"1\">&amp;'\u0000\u001b\ud800 \ud83d\ude00"
    val xml  =
      parsed(JUnit.xml(evil, Vector(AssertionText(evil, evil, passed = false, evil)), 1, Vector(evil, "]]>")))
    assertEquals(xml.getElementsByTagName("testcase").getLength, 1)
    val name = xml.getElementsByTagName("testcase").item(0).getAttributes.getNamedItem("name").getTextContent
    assertEquals(name, "</testsuite><x a=\"1\">&amp;'\ufffd\ufffd\ufffd \ud83d\ude00")
    assert(xml.getElementsByTagName("system-out").item(0).getTextContent.contains("]]>"))
  }

  test("without an assertion there is still a case: that the run came to an end") {
    assertEquals(parsed(JUnit.xml("x", Vector.empty, 1, Nil)).getElementsByTagName("testcase").getLength, 1)
  }
}
