package needletail.load.command

/** What a program ends with. */
private[load] object Status {
  final val Good   = 0
  final val Failed = 1
  final val Wrong  = 2
}
