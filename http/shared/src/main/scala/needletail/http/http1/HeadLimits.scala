package needletail.http.http1

/**
 * Limits on a request head.
 *
 * @param maxTarget bytes of the request target; beyond: 414
 * @param maxHead bytes of the whole head, including line ends; beyond: 431 (414 while the target is being read)
 * @param maxHeaders field lines; beyond: 431
 * @param relaxedTarget whether to accept bytes that RFC 3986 forbids in paths and queries but browsers send: `|`, `{`,
 *   `}`, `^`, backquote, `[`, `]`, `"`, `<`, `>`, backslash
 * @param maxMethod bytes of the method; beyond: 501 (RFC 9112 §3)
 */
private[needletail] final case class HeadLimits(
    maxTarget: Int = 8192,
    maxHead: Int = 32 * 1024,
    maxHeaders: Int = 100,
    relaxedTarget: Boolean = false,
    maxMethod: Int = 32
)
