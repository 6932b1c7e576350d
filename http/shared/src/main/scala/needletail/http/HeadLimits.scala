package needletail.http

/**
 * How much of a request head is taken, and how strictly.
 *
 * @param maxTarget octets of the request target; beyond: 414
 * @param maxHead octets of the whole head, line ends included; beyond: 431 (414 while the target is being read)
 * @param maxHeaders field lines; beyond: 431
 * @param relaxedTarget let through octets that RFC 3986 forbids in paths and queries but browsers send:
 *   `|`, `{`, `}`, `^`, backquote, `[`, `]`, `"`, `<`, `>`, backslash
 * @param maxMethod octets of the method; beyond: 501 (RFC 9112 §3)
 */
private[needletail] final case class HeadLimits(
    maxTarget: Int = 8192,
    maxHead: Int = 32 * 1024,
    maxHeaders: Int = 100,
    relaxedTarget: Boolean = false,
    maxMethod: Int = 32
)
