package needletail

/**
 * What servers and clients share of HTTP (RFC 9110 and RFC 9112).
 *
 * Types that users name and that packages below define are re-exported here.
 */
package object http {
  type Answerable   = message.Answerable
  type Cookie       = message.Cookie
  type Headers      = message.Headers
  type HttpError    = message.HttpError
  type Method       = message.Method
  type Parameters   = message.Parameters
  type Status       = message.Status
  type HasTimeLimit = admission.HasTimeLimit
  type Priority     = admission.Priority
  type TimeLimit    = admission.TimeLimit

  val Cookie: message.Cookie.type               = message.Cookie
  val Headers: message.Headers.type             = message.Headers
  val HttpError: message.HttpError.type         = message.HttpError
  val MediaType: message.MediaType.type         = message.MediaType
  val Method: message.Method.type               = message.Method
  val Parameters: message.Parameters.type       = message.Parameters
  val PercentCoding: message.PercentCoding.type = message.PercentCoding
  val Status: message.Status.type               = message.Status
  val HttpDate: text.HttpDate.type              = text.HttpDate
  val Priority: admission.Priority.type         = admission.Priority
  val TimeLimit: admission.TimeLimit.type       = admission.TimeLimit
}
