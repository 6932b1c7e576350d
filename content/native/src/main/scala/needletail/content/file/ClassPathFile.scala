package needletail.content.file

/** Files that the program was linked with: `nativeConfig ~= { _.withEmbedResources(true) }`. */
private[file] object ClassPathFile {

  /** Whether there may be files in a folder: which there are is not known here. */
  def hasFolder(name: String): Boolean = { val _ = name; true }

  /** Its content; null if there is none. */
  def read(name: String): Array[Byte] = {
    val in = getClass.getResourceAsStream("/" + name)
    if (in == null) null
    else
      try in.readAllBytes()
      finally in.close()
  }
}
