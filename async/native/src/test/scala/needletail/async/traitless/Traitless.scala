package needletail.async.traitless

// For TraitsSuite. The compiler makes one module of a package, so these have their constants for themselves: by their
// names the table of `Above`, which has no entry, is followed by that of `Marked`.

class Above(val number: Int)

final class Beside(number: Int, val more: Int) extends Above(number)

trait First
trait Second
trait Third
trait Fourth
trait Fifth

/** Four traits without methods make a table that lies where the empty ones do. */
final class Marked extends First with Second with Third with Fourth

final class Other extends Fifth
