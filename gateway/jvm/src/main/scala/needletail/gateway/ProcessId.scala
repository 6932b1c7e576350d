package needletail.gateway

private[gateway] object ProcessId {

  /** The id of this process. */
  def current: Long = ProcessHandle.current().pid()
}
