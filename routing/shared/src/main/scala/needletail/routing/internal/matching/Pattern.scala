package needletail.routing.internal.matching

import needletail.http.message.Method
import needletail.routing.internal.description.ParameterDescription

/**
 * A [[Part]] without the type of its value, as used by matching, the routing table and the documentation. Immutable
 * and without state of a request.
 */
private[routing] abstract class Pattern {

  /**
   * The value found in the request, a [[Fault]] if the request does not match, or [[Pending]] if it contains a filter
   * or a body that has not been run or read yet. Patterns are evaluated in order, so that those of the path find their
   * segments.
   */
  private[routing] def value(in: Matching): Any

  /** The patterns that this one consists of; empty for a simple one. */
  private[routing] def children: List[Pattern]

  /** Whether it depends on more than the method and literal segments, which the routing table has compared already. */
  private[routing] def reads: Boolean = children.exists(_.reads)

  /** Whether it contains a filter or a body, which are evaluated only when everything else has matched. */
  private[routing] def isAsync: Boolean = children.exists(_.isAsync)

  /** The number of path segments that it matches; the rest of a path counts as one. */
  private[routing] def segments: Int

  /** The segment that a simple pattern matches; null if none. */
  private[routing] def segment: Segment = null

  /** Whether that segment may only be the last one of a path: an empty text. */
  private[routing] def isLastSegment: Boolean = false

  /** The method that a simple pattern requires; null if none. */
  private[routing] def method: Method = null

  /** Whether it is part of the path, so that its fault may mean that the request was meant for another route. */
  private[routing] def isPath: Boolean = false

  /** The entry of a simple pattern in the documentation of its route. */
  private[routing] def description: Option[ParameterDescription] = None

  /** The name that replaces `{NAME}` in the message of a `filter`. */
  private[routing] def shortName: String =
    children.map(_.shortName).filter(_.nonEmpty).distinct.mkString(", ")

  /**
   * What may keep it from matching a request whose method and path have its shape, which the table compares. If all that
   * one pattern demands is demanded by another, too, then it matches whatever the other would. Equal demands are the same
   * function of a request: of an unknown function only that itself.
   *
   * @param at the index of the first segment that it matches
   */
  private[routing] def demands(at: Int): Set[Any] = if (reads) Set((at, this)) else Set.empty

  /** This pattern and all that it contains, from left to right. */
  private[routing] final def all: List[Pattern] = this :: children.flatMap(_.all)
}
