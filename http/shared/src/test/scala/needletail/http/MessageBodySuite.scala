package needletail.http

import scala.util.Failure

class MessageBodySuite extends needletail.testing.Suite {
  private def pieces(count: Int) = ByteStream.fromIterator(Iterator.fill(count)(Array[Byte](7)))

  test("content in memory: whole, within its limit, or as a stream") {
    val body = MessageBody.of(Array[Byte](1, 2, 3))
    assertEquals((body.length, body.isEmpty), (3L, false))
    assertEquals(body.bytes.poll.map(_.get.toList), Some(List[Byte](1, 2, 3)))
    assertEquals(body.bytes(3).poll.map(_.get.length), Some(3))
    assertEquals(status(body.bytes(2).poll), Some(Status.ContentTooLarge))
    val stream = body.stream
    assertEquals(stream.next().poll.flatMap(_.get).map(_.toList), Some(List[Byte](1, 2, 3)))
    assertEquals(stream.next().poll.map(_.get), Some(None))
    assertEquals(stream.next().poll.map(_.get), Some(None))
    assertEquals(
      (
        MessageBody.empty.length,
        MessageBody.empty.isEmpty,
        MessageBody.of("").isEmpty,
        MessageBody.of("\u00e9").length
      ),
      (0L, true, true, 2L)
    )
  }

  test("a stream is drawn on demand, empty pieces are passed over, cancelling ends it") {
    var drawn  = 0
    val stream = ByteStream.fromIterator(Iterator.tabulate(10) { i => drawn += 1; new Array[Byte](i % 2) })
    assertEquals(drawn, 0)
    assertEquals(stream.next().poll.map(_.get.map(_.length)), Some(Some(1)))
    assertEquals(drawn, 2)
    stream.cancel()
    assertEquals(stream.next().poll.map(_.get), Some(None))
    assertEquals(drawn, 2)
  }

  test("a stream of very many pieces is collected without a deep stack") {
    assertEquals(MessageBody.streamed(pieces(300000), -1).bytes.poll.map(_.get.length), Some(300000))
  }

  test("a stream that has been collected is not taken for one without content") {
    val body = MessageBody.streamed(pieces(2), -1)
    assertEquals(body.bytes.poll.map(_.get.length), Some(2))
    assert(body.bytes.poll.exists(_.failed.get.isInstanceOf[IllegalStateException]))
  }

  test("content made of a request's is read once, however it is read") {
    def twice(read: MessageBody => needletail.async.Async[Any]*): Unit = {
      val body = MessageBody.streamed(pieces(2), -1, MessageBody.of("abc"))
      assert(read.init.forall(_(body).poll.exists(_.isSuccess)))
      val error = read.last(body).poll.get.failed.get
      assert(error.isInstanceOf[IllegalStateException] && error.getMessage == MessageBody.ReadTwice, error)
    }
    val whole: MessageBody => needletail.async.Async[Any]  = _.bytes
    val first: MessageBody => needletail.async.Async[Any]  = _.stream.next()
    val stream: MessageBody => needletail.async.Async[Any] = _.stream.toList(10)
    for (
      read <-
        Seq(Seq(whole, whole), Seq(whole, first), Seq(first, whole), Seq(stream, stream), Seq(stream, whole))
    )
      twice(read*)
    val body = MessageBody.streamed(pieces(0), -1, MessageBody.of("abc"))
    for (read <- Seq(stream, stream, whole)) assert(read(body).poll.get.isSuccess, "there is nothing to lose")
  }

  test("a stream beyond the limit is refused and cancelled") {
    var cancelled = false
    val endless   = new ByteStream {
      def next()   = needletail.async.Async.value(Option(new Array[Byte](10)))
      def cancel() = cancelled = true
    }
    assertEquals(status(MessageBody.streamed(endless, -1).bytes(1000).poll), Some(Status.ContentTooLarge))
    assert(cancelled)
  }

  test("what is collected of a body that is made of another one counts as that one's, and may be refused") {
    val refusal = new IllegalStateException("no room")
    var held    = 0
    val origin  = new MessageBody {
      def length: Long                                            = -1L
      def isEmpty: Boolean                                        = false
      def stream: ByteStream                                      = ByteStream.of(Array[Byte](1))
      def bytes(limit: Int): needletail.async.Async[Array[Byte]]  = needletail.async.Async.fail(refusal)
      def bytes: needletail.async.Async[Array[Byte]]              = bytes(0)
      def trailers: Headers                                       = Headers.empty
      private[needletail] override def hold(more: Int): Throwable =
        if (held + more > 100000) refusal
        else {
          held += more
          null
        }
    }
    def made = MessageBody.streamed(MessageBody.streamed(pieces(60000), -1, origin).stream, -1, origin)
    assertEquals(made.bytes.poll.map(_.get.length), Some(60000))
    assert(held >= 50000, s"$held")
    var cancelled = false
    val endless   = new ByteStream {
      def next()   = needletail.async.Async.value(Option(new Array[Byte](1000)))
      def cancel() = cancelled = true
    }
    assertEquals(MessageBody.streamed(endless, -1, origin).bytes.poll.map(_.failed.get), Some(refusal))
    assert(cancelled)
  }

  private def status(result: Option[scala.util.Try[?]]): Option[Status] =
    result.collect { case Failure(e: HttpError) => e.status }
}
