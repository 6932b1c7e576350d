package needletail.json

/** Exact conversions of numbers in JSON's grammar, at bounded cost. */
private[json] object Numbers {

  /** Maximum of digits of whole numbers, and of those before and after the point of others. */
  private final val MaxDigits = 1000

  /** The number; None if its exponent is not an Int. */
  def decimal(text: String): Option[BigDecimal] =
    try Some(new BigDecimal(new java.math.BigDecimal(text), java.math.MathContext.UNLIMITED))
    catch { case _: NumberFormatException | _: ArithmeticException => None }

  /**
   * The number, if it has at most `MaxDigits` digits before the point and after it without an exponent, or no more than are
   * written: arithmetic expands exponents.
   */
  def bounded(text: String): Option[BigDecimal] = {
    val most = Math.max(MaxDigits, text.length)
    decimal(text).filter(n => Math.abs(n.scale.toLong) <= most && n.precision.toLong - n.scale <= most)
  }

  /** The number, if it has no fraction and at most `MaxDigits` digits. */
  def whole(text: String): Option[BigInt] =
    if (text.length <= 18 && isDigits(text)) Some(BigInt(text.toLong))
    else
      decimal(text).map(_.bigDecimal).flatMap { n =>
        if (n.signum == 0) Some(BigInt(0))
        else if (n.precision.toLong - n.scale > MaxDigits || n.precision > MaxDigits) None
        else if (n.scale <= 0) Some(BigInt(n.toBigIntegerExact))
        else {
          val plain = n.stripTrailingZeros
          if (plain.scale > 0) None else Some(BigInt(plain.toBigIntegerExact))
        }
      }

  private def isDigits(text: String): Boolean = {
    var i = if (text.charAt(0) == '-') 1 else 0
    while (i < text.length && text.charAt(i) >= '0' && text.charAt(i) <= '9') i += 1
    i == text.length
  }
}
