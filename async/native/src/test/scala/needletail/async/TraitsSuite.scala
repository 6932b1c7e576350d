package needletail.async

import needletail.async.traitless._
import needletail.testing.Suite

/** Native programs told the traits of classes that have none by what lies behind an empty table. */
class TraitsSuite extends Suite {
  import TraitsSuite._

  test(
    "fault 17: an object of a class without traits is of no trait, whatever lies behind its class's table"
  ) {
    // Which of the traits it would be taken for is up to the compiler: one whose number fits the table behind.
    assertEquals(of(new Above(1)), Nil)
    assertEquals(of(new Beside(1, 2)), Nil)
  }

  test("fault 17: an object of a class with traits is of these and of no other") {
    assertEquals(of(new Marked), List("First", "Second", "Third", "Fourth"))
    assertEquals(of(new Other), List("Fifth"))
  }

  test("fault 17: the classes of this program are laid out as the mend takes them to be") {
    val classes = RuntimeFix.classes
    assert(
      classes > 100,
      s"$classes classes without a trait were found: has Scala Native changed what it writes?"
    )
  }
}

object TraitsSuite {
  private val tests: List[(String, AnyRef => Boolean)] = List(
    "First"  -> (_.isInstanceOf[First]),
    "Second" -> (_.isInstanceOf[Second]),
    "Third"  -> (_.isInstanceOf[Third]),
    "Fourth" -> (_.isInstanceOf[Fourth]),
    "Fifth"  -> (_.isInstanceOf[Fifth])
  )

  private def of(value: AnyRef): List[String] = tests.collect { case (name, test) if test(value) => name }
}
