package needletail.gateway

private[gateway] object Process {

  /** This process's number. */
  def id: Long = ProcessHandle.current().pid()
}
