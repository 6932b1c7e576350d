package needletail

package object stream {
  type FrameError = stage.FrameError
  val FrameError: stage.FrameError.type = stage.FrameError
}
