package needletail.async

/** Stands in for a value that comes later. */
private[needletail] final class Later
