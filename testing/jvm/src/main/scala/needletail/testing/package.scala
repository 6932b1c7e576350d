package needletail

package object testing {

  /** Where in the sources an assertion stands; helpers that assert take one implicitly and so name their caller. */
  type Location = munit.Location
}
