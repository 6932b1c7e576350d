package needletail.server.exchange

/** Told when a request's content is read. Called on the connection's loop, also outside of its turns. */
private[server] trait BodyOwner {

  /** A reader waits for a piece of the content. */
  def bodyWanted(body: BodyReader): Unit

  /** The reader that waited has given up. */
  def bodyUnwanted(body: BodyReader): Unit

  /** All of the content has been read. */
  def bodyEnded(body: BodyReader): Unit

  /** The content will not be completed. */
  def bodyFailed(body: BodyReader): Unit

  /** There was no memory for content that a handler reads as one array. */
  def bodyRefused(body: BodyReader): Unit
}
