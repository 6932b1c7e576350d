package needletail

package object testing {

  /** The place of an assertion in the sources. Helpers that assert take one implicitly, to report their caller. */
  type Location = munit.Location
}
