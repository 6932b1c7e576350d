package needletail.content.file

import needletail.testing.{Language, Suite}

class MediaTypesSuite extends Suite {
  test("suffixes are known in upper case too, whatever the machine's language is") {
    for (language <- Seq("en-US", "tr-TR"))
      Language.of(language) {
        assertEquals(MediaTypes.ofName("X.GIF"), "image/gif", language)
        assertEquals(MediaTypes.ofName("x.tiff"), "image/tiff", language)
        assertEquals(MediaTypes.ofName("X.TIFF"), "image/tiff", language)
      }
  }
}
