package needletail.gateway.format.fastcgi

/** The constants of FastCGI 1.0 records (specification, section 8). */
private[needletail] object FastCgiRecord {
  final val Version = 1

  /** Bytes of a record's header (section 3.3). */
  final val HeaderLength = 8

  /** Maximum of bytes of content in one record. */
  final val MaxContent = 65535

  // Types of records
  final val BeginRequest    = 1
  final val AbortRequest    = 2
  final val EndRequest      = 3
  final val Params          = 4
  final val Stdin           = 5
  final val Stdout          = 6
  final val Stderr          = 7
  final val Data            = 8
  final val GetValues       = 9
  final val GetValuesResult = 10
  final val UnknownType     = 11

  /** The request id of management records, which concern the connection (section 3.3). */
  final val Management = 0

  // Roles (section 5.1)
  final val Responder  = 1
  final val Authorizer = 2
  final val Filter     = 3

  /** The flag of BEGIN_REQUEST with which the web server keeps the connection open (section 5.1). */
  final val KeepConnection = 1

  // Protocol statuses of END_REQUEST (section 5.5)
  final val RequestComplete = 0
  final val CannotMultiplex = 1
  final val Overloaded      = 2
  final val UnknownRole     = 3

  /** Bytes of content of BEGIN_REQUEST, END_REQUEST and UNKNOWN_TYPE. */
  final val BodyLength = 8

  /** Variables that a web server may query (section 4.1). */
  final val MaxConnections  = "FCGI_MAX_CONNS"
  final val MaxRequests     = "FCGI_MAX_REQS"
  final val MultiplexesConn = "FCGI_MPXS_CONNS"

  /** Whether records of that type belong to a request. */
  def isOfRequest(kind: Int): Boolean = kind >= BeginRequest && kind <= Data
}
