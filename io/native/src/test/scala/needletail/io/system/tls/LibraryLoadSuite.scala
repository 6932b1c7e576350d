package needletail.io.system.tls

import scala.scalanative.unsafe.*

import needletail.testing.Suite

/** The function of needletail_library.c by which libraries are loaded. */
@extern
@define("__SCALANATIVE_NEEDLETAIL_TLS")
private object LibraryFunctions {
  @name("needletail_library_once") def once(isDone: Ptr[CInt], f: CFuncPtr0[CString]): CString = extern
}

class LibraryLoadSuite extends Suite {
  test(
    "what has failed to load, for want of a descriptor for example, is tried again; what was loaded is not"
  ) {
    val isDone = new Array[CInt](1)
    def load() = LibraryFunctions.once(isDone.at(0), LibraryLoadSuite.attempt)
    for (n <- 1 to 2) {
      assertEquals(fromCString(load()), "not yet")
      assertEquals(LibraryLoadSuite.attempts, n)
    }
    for (_ <- 1 to 3) {
      assert(load() eq null)
      assertEquals(LibraryLoadSuite.attempts, 3)
    }
  }
}

private object LibraryLoadSuite {
  private var attempts = 0

  private val attempt: CFuncPtr0[CString] = CFuncPtr0.fromScalaFunction(() => {
    attempts += 1
    if (attempts < 3) c"not yet" else null
  })
}
