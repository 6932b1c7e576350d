package needletail.load.file

import java.nio.file.{Files, Paths}

import needletail.testing.{Suite, TemporaryDirectories}

class InputFileSuite extends Suite with TemporaryDirectories {

  test("a file of exactly the bound is read, a larger one and one without an end are refused") {
    val file = Files.write(temporaryDirectory().resolve("a"), Array[Byte](1, 2, 3))
    assertEquals(InputFile.read(file, 3).map(_.toVector), Right(Vector[Byte](1, 2, 3)))
    assert(InputFile.read(file, 2).left.exists(_.contains("larger than 2 bytes")))
    assert(InputFile.read(Paths.get("/dev/zero")).left.exists(_.contains("larger than")))
  }

  test("bytes that are no text are refused, not changed") {
    val file = Files.write(temporaryDirectory().resolve("a"), Array[Byte](-1, -2))
    assertEquals(TextFile.exactly(file), Left("this is not UTF-8"))
  }

  test("what has no bytes has a reason") {
    val folder = temporaryDirectory()
    assertEquals(InputFile.read(folder.resolve("none")), Left("there is no such file or directory"))
    assert(InputFile.read(folder).isLeft)
  }
}
