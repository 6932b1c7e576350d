package needletail.io

import scala.scalanative.unsafe.*
import scala.scalanative.unsigned.*

import java.nio.file.Files

import needletail.testing.{Suite, TemporaryDirectories}

/** Why a library that a program uses if it is installed cannot be loaded. */
class LibraryLoadSuite extends Suite with TemporaryDirectories {

  /** Tries to load the first of `files` that is there. */
  private def problem(files: String*): String = Zone.acquire { implicit zone =>
    def list(all: Seq[String]): Ptr[CString] = {
      val made = alloc[CString]((all.size + 1).toUSize)
      for ((text, i) <- all.zipWithIndex) made(i) = toCString(text)
      made(all.size) = null
      made
    }
    fromCString(LibraryFunctions.load(
      c"this needs a library",
      list(files),
      list(Seq("function")),
      1.toUSize,
      alloc[Ptr[Byte]](1.toUSize).asInstanceOf[Ptr[Byte]]
    ))
  }

  test("none that is there, or one that cannot be loaded") {
    assertEquals(
      problem("libneedletail-none.so.1", "libneedletail-none.so"),
      "this needs a library, which is not installed: there is no libneedletail-none.so.1"
    )
    val file = temporaryDirectory().resolve("libwrong.so")
    Files.write(file, "text".getBytes)
    val text = problem("libneedletail-none.so.1", file.toString)
    assert(text.startsWith(s"this needs a library, which cannot be loaded: $file: "), text)
    val lacks = problem("libneedletail-none.so.1", "libc.so.6")
    assertEquals(lacks, "this needs a library; the libc.so.6 that is installed has no function")
  }
}

@extern
@define("__SCALANATIVE_NEEDLETAIL_TLS")
private object LibraryFunctions {
  @name("needletail_library_load")
  def load(
      need: CString,
      files: Ptr[CString],
      functions: Ptr[CString],
      needed: CSize,
      table: Ptr[Byte]
  ): CString = extern
}
