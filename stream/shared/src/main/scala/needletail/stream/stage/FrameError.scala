package needletail.stream.stage

/** The failure of a stream of bytes that cannot be divided into lines or frames. It has no stack trace. */
sealed abstract class FrameError(message: String) extends RuntimeException(message, null, false, false)

object FrameError {

  /** A line or frame is longer than `longest` bytes. */
  final class TooLong private[stream] (message: String, val longest: Int) extends FrameError(message)

  /** The stream ends within a frame. */
  final class Incomplete private[stream] (message: String) extends FrameError(message)
}
