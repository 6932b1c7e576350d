package needletail.content

import needletail.client.{ClientError, Serving}
import needletail.http.{Handler, Parameters, Response, Status}
import needletail.json._
import needletail.routing._
import needletail.testing.Suite

/** What calls of a client send and get besides texts and bytes. */
class CallContentSuite extends Suite with Serving {
  test("calls with JSON and with forms as content") {
    val routes = Routes(
      POST / "json" + jsonBody[List[Int]] to (numbers => numbers.sum.toString.ok),
      POST / "form" + Body[Parameters] to (form => form.get("a&b").getOrElse("none").ok)
    )
    serving(routes) { (front, outer) =>
      val service = outer.service(front.url)
      assertEquals(outer.await(service.post("/json").json(List(1, 2)).text), "3")
      assertEquals(
        outer.await(service.post("/form").form(Parameters("a&b" -> "ä=ö +")).text),
        "ä=ö +"
      )
    }
  }

  test("responses as JSON, and a status that is not expected") {
    val answers: Handler = request =>
      request.path match {
        case "/echo" => Response.ok.stream(request.body.stream)
        case "/gone" => Response(Status.Gone).text("gone")
        case "/json" => """{"a":[1,2]}""".ok
        case _       => Response.ok("no JSON")
      }
    serving(answers) { (server, client) =>
      val service = client.service(server.url)
      case class A(values: List[Int])
      implicit val reader: JsonFormat[A] =
        JsonFormat(_.at("a").as[List[Int]].map(A(_)))(a => Json.obj("a" -> a.values))
      assertEquals(client.await(service.get("/json").as[A]), A(List(1, 2)))
      val gone =
        intercept[ClientError.UnexpectedStatus](client.await(service.get("/gone").text))
      assertEquals((gone.status.code, gone.text), (410, "gone"))
      intercept[ClientError.UnexpectedStatus](client.await(service.get("/gone").as[A]))
      intercept[ClientError.Malformed](client.await(service.get("/x").as[A]))
      assertEquals(client.await(service.get("/gone").expecting(_.code == 410)).text, "gone")
      val form = FormData().field("a", "1")
      assert(client.await(service.post("/echo").form(form).text).contains("name=\"a\""))
    }
  }
}
