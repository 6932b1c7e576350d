package needletail.load.command

/** Exit statuses: success, an assertion failed, or the command could not be carried out. */
private[load] object ExitStatus {
  final val Good   = 0
  final val Failed = 1
  final val Wrong  = 2
}
