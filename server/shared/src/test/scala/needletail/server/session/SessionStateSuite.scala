package needletail.server.session

import needletail.testing.Suite

/** The table of a connection's states: which event is allowed in which state, and what follows. */
class SessionStateSuite extends Suite {
  import SessionState._

  private val ways: Map[(Int, Int), List[Int]] = {
    // every pair of states that can be reached, with the shortest way to it
    var known   = Map((Idle, Free) -> List.empty[Int])
    var newOnes = known
    while (newOnes.nonEmpty) {
      newOnes = for {
        (_, way) <- newOnes
        event    <- 0 until Events
        state    <- after(way :+ event)
        pair = (state.client, state.server)
        if !known.contains(pair)
      } yield pair -> (way :+ event)
      known = newOnes ++ known
    }
    known
  }

  /** The state after these events; None if one of them is not allowed. */
  private def after(events: List[Int]): Option[SessionState] = {
    val state = new SessionState
    try { events.foreach(state.on); Some(state) }
    catch { case _: IllegalStateException => None }
  }

  private def allowed(event: Int): Set[(Int, Int)] =
    ways.toList.collect { case (pair, way) if after(way :+ event).isDefined => pair }.toSet

  private def next(from: (Int, Int), event: Int): (Int, Int) = {
    val state = after(ways(from) :+ event).getOrElse(fail(s"event $event is not allowed in $from"))
    (state.client, state.server)
  }

  test("an ended connection is closed, and stays so whatever happens") {
    assertEquals(ways.keySet.filter(_._2 == Ended), Set((Closed, Ended)))
    for (event <- 0 until Events) assertEquals(next((Closed, Ended), event), (Closed, Ended), event)
  }

  test("every other pair of states can be reached, but that nothing waits where no reply is owed") {
    val all = for (client <- 0 until Clients; server <- List(Free, Replying)) yield (client, server)
    assertEquals(
      ways.keySet - ((Closed, Ended)),
      all.toSet - ((Held, Free)) - ((Asking, Free)) - ((LastAsking, Free))
    )
  }

  test("requests are read where none is under way, and content only after a request with content") {
    val readsHeads = for (client <- Set(Idle, Head); server <- Set(Free, Replying)) yield (client, server)
    for (event <- List(Request, LastRequest, RequestWithContent, LastRequestWithContent))
      assertEquals(allowed(event) - ((Closed, Ended)), readsHeads, event)
    val reads = for (client <- Set(Dropped, Content, LastContent); server <- Set(Free, Replying))
      yield (client, server)
    assertEquals(allowed(ContentEnded) - ((Closed, Ended)), reads)
  }

  test("a request without content leaves an idle connection idle, with and without the table") {
    for (pair <- List((Idle, Free), (Idle, Replying))) {
      assertEquals(next(pair, Request), pair)
      val state = after(ways(pair)).get
      state.requested(hasContent = false, isLast = false)
      assertEquals((state.client, state.server), pair)
    }
  }

  test("a client that has sent all of its content leaves a last request, whose content is still to be read") {
    val content =
      for (client <- Set(Content, LastContent); server <- Set(Free, Replying)) yield (client, server)
    assertEquals(allowed(AllSent) - ((Closed, Ended)), content)
    for ((client, server) <- content) assertEquals(next((client, server), AllSent), (LastContent, server))
  }

  test("a head waits only for replies, and goes on when one leaves") {
    assertEquals(allowed(HeadWaits), Set((Idle, Replying), (Head, Replying), (Closed, Ended)))
    assertEquals(next((Held, Replying), RoomAgain), (Idle, Replying))
    assertEquals(next((Held, Replying), RepliesEnd), (Idle, Free))
  }

  test("nothing is read after a request for another protocol, until its reply is complete") {
    assertEquals(allowed(UpgradeAsked), Set((Idle, Replying), (Closed, Replying), (Closed, Ended)))
    for (event <- List(HeadBegan, HeadWaits, Request, RequestWithContent, ContentEnded))
      for (asking <- List(Asking, LastAsking)) assert(!allowed(event)((asking, Replying)), event)
    for (asking <- List(Asking, LastAsking)) {
      assertEquals(next((asking, Replying), RoomAgain), (asking, Replying))
      assertEquals(next((asking, Replying), LastReply), (Closed, Replying))
      assertEquals(next((asking, Replying), Switched), (Closed, Ended))
    }
    assertEquals(next((Asking, Replying), RepliesEnd), (Idle, Free))
    assertEquals(next((LastAsking, Replying), RepliesEnd), (Closed, Free))
    assertEquals(allowed(Switched), Set((Asking, Replying), (LastAsking, Replying), (Closed, Ended)))
  }

  test("the last request's content is read to its end, and nothing after it") {
    assertEquals(next((LastContent, Replying), ContentEnded), (Closed, Replying))
    assertEquals(next((LastContent, Replying), ContentLeft), (Closed, Replying))
    assertEquals(next((Content, Replying), ContentLeft), (Dropped, Replying))
    assertEquals(next((Content, Free), LastReply), (LastContent, Free))
    for (client <- List(Idle, Head)) assertEquals(next((client, Replying), LastReply), (Closed, Replying))
  }

  test("the connection ends with the turn in which nothing is owed and nothing more will be read") {
    val ends = ways.keySet.filter(pair => next(pair, TurnEnds)._2 == Ended)
    assertEquals(ends, Set((Closed, Free), (LastContent, Free), (Closed, Ended)))
    for (pair <- ways.keySet -- ends) assertEquals(next(pair, TurnEnds), pair)
  }

  test("the end of a turn does the same with and without the table") {
    for ((pair, way) <- ways) {
      val state = after(way).get
      state.turnEnded()
      assertEquals((state.client, state.server), next(pair, TurnEnds), pair)
    }
  }

  test("whatever is being read, reading can end and the connection be lost") {
    for (pair <- ways.keySet) {
      assertEquals(next(pair, ReadingEnds)._1, Closed)
      assertEquals(next(pair, Lost), (Closed, Ended))
    }
  }

  test("the questions agree with the states") {
    for ((pair, way) <- ways) {
      val state  = after(way).get
      val client = pair._1
      assertEquals(state.readsHeads, client == Idle || client == Head, pair)
      assertEquals(state.hasContent, Set(Dropped, Content, LastContent)(client), pair)
      assertEquals(state.isLastRequest, Set(LastContent, LastAsking, Closed)(client), pair)
      assertEquals(state.isAsking, client == Asking || client == LastAsking, pair)
      assertEquals(state.isClosed, client == Closed, pair)
      assertEquals(state.isEnded, pair._2 == Ended, pair)
      assertEquals(state.isIdle, pair == ((Idle, Free)), pair)
    }
  }

  test("the last reply ends the connection while it drains, and where no request follows") {
    val state = new SessionState
    assert(state.mayKeep(isLastReply = true))
    state.requested(hasContent = false, isLast = true)
    assert(state.mayKeep(isLastReply = false))
    assert(!state.mayKeep(isLastReply = true))
    val draining = new SessionState
    draining.isDraining = true
    assert(draining.mayKeep(isLastReply = false))
    assert(!draining.mayKeep(isLastReply = true))
    draining.requested(hasContent = false, isLast = false)
    assert(draining.isLastRequest, "what comes while it drains is the last request")
  }

  test("an event that is not allowed says which it was, and in which state") {
    val e = intercept[IllegalStateException](new SessionState().on(ContentEnded))
    assertEquals(e.getMessage, "ContentEnded while the connection is Idle/Free")
  }
}
