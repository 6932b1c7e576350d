package needletail.client

import needletail.client.call.Call
import needletail.http.admission.TimeLimit
import needletail.http.message.Method

/**
 * Makes calls: a [[Client]] from URLs, a [[Service]] from paths. An implicit request or time limit in scope bounds the
 * time of the calls made there.
 */
abstract class Calls private[client] () {

  /**
   * A call that has not been sent.
   *
   * @param where a URL or a path
   * @throws java.lang.IllegalArgumentException if it is not one, and for CONNECT
   */
  def call(method: Method, where: String)(implicit limit: TimeLimit = TimeLimit.none): Call

  /** A GET call; see `call`. */
  final def get(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call = call(Method.GET, where)

  /** A HEAD call; see `call`. */
  final def head(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call = call(Method.HEAD, where)

  /** A DELETE call; see `call`. */
  final def delete(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call =
    call(Method.DELETE, where)

  /** A POST call; see `call`. */
  final def post(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call = call(Method.POST, where)

  /** A PUT call; see `call`. */
  final def put(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call = call(Method.PUT, where)

  /** A PATCH call; see `call`. */
  final def patch(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call = call(Method.PATCH, where)
}
