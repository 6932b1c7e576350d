package needletail.documents

import needletail.testing.Suite

/** What docs/testkit.md asserts is true. */
class TestkitSuite extends Suite {
  test("routes") {
    assert(Testkit1.handler() != null)
  }

  test("values that come later") {
    assert(Testkit2.shown() != null)
  }
}
