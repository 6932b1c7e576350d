package needletail.content

import java.io.File
import java.net.URLClassLoader
import java.nio.file.{Files, Path}
import java.util.jar.{Attributes, JarEntry, JarOutputStream, Manifest}

import needletail.http.{Headers, Method, Request}
import needletail.testing.{Suite, TemporaryDirectories}
import needletail.testkit._

class ResourcesSuite extends Suite with TemporaryDirectories {
  private val routes = resources("/c", "/")

  test("a file of a directory, and one of an archive, with tags by their content") {
    for (
      (name, kind) <- Seq(
        "needletail/content/ResourcesSuite.class" -> "application/java-vm",
        "scala/Option.class"                      -> "application/java-vm"
      )
    ) {
      val reply = routes.test(Request.get(s"/c/$name"))
      assertEquals(reply.status.code, 200, name)
      assertEquals(reply.bytes.take(4).map(_ & 0xff).toSeq, Seq(0xca, 0xfe, 0xba, 0xbe), name)
      assertEquals(reply.header("Content-Type"), Some(kind))
      val tag = reply.header("ETag").get
      assertEquals(
        routes.test(Request(Method.GET, s"/c/$name", Headers("If-None-Match" -> tag))).status.code,
        304
      )
      val part = routes.test(Request(Method.GET, s"/c/$name", Headers("Range" -> "bytes=1-2")))
      assertEquals((part.status.code, part.bytes.map(_ & 0xff).toSeq), (206, Seq(0xfe, 0xba)))
    }
  }

  test("directories, and what is not there, are not listed") {
    for (
      name <- Seq(
        "needletail/content",
        "needletail/content/",
        "scala",
        "scala/",
        "scala/collection",
        "nothing",
        "",
        "../x"
      )
    )
      assertEquals(routes.test(Request.get(s"/c/$name")).status.code, 404, name)
  }

  test("a directory that has an index file is redirected to its slash, where the index is") {
    val indexed  = resources("/c", "/", FileConfig(index = List("ResourcesSuite.class")))
    val redirect = indexed.test(Request.get("/c/needletail/content?a=1"))
    assertEquals(redirect.status.code, 301)
    assertEquals(redirect.header("Location"), Some("./content/?a=1"))
    assertEquals(indexed.test(Request.get("/c/needletail/content/")).status.code, 200)
    assertEquals(indexed.test(Request.get("/c/needletail/")).status.code, 404)
  }

  test("a filter, a fallback and a single file, as of directories") {
    val name     = "needletail/content/ResourcesSuite.class"
    val filtered = resources("/c", "/", FileConfig(filter = _ == name))
    assertEquals(filtered.test(Request.get(s"/c/$name")).status.code, 200)
    assertEquals(filtered.test(Request.get("/c/scala/Option.class")).status.code, 404)
    val fallen = resources("/c", "/", FileConfig(fallback = Some(name))).test(Request.get("/c/nothing"))
    val single = singleResource("/one", name)
    assertEquals(fallen.status.code, 200)
    assertEquals(single.test(Request.get("/one")).bytes.toSeq, fallen.bytes.toSeq)
    assertEquals(single.test(Request.get("/two")).status.code, 404)
    assertEquals(
      resources("/c", "/", FileConfig(fallback = Some("no"))).test(Request.get("/c/x")).status.code,
      404
    )
  }

  /** Runs `body` with these jars as the class path. */
  private def withJars(jars: File*)(body: => Unit): Unit = {
    val thread = Thread.currentThread
    val before = thread.getContextClassLoader
    val loader = new URLClassLoader(jars.map(_.toURI.toURL).toArray, ClassLoader.getPlatformClassLoader)
    thread.setContextClassLoader(loader)
    try body
    finally {
      thread.setContextClassLoader(before)
      loader.close()
    }
  }

  /** A jar with these entries only, none of them for a folder. */
  private def jar(directory: Path, name: String, classPath: String, entries: String*): File = {
    val manifest = new Manifest
    manifest.getMainAttributes.put(Attributes.Name.MANIFEST_VERSION, "1.0")
    if (classPath.nonEmpty) manifest.getMainAttributes.put(Attributes.Name.CLASS_PATH, classPath)
    val file = directory.resolve(name)
    val out  = new JarOutputStream(Files.newOutputStream(file), manifest)
    try
      entries.foreach { entry =>
        out.putNextEntry(new JarEntry(entry))
        out.write("content".getBytes)
        out.closeEntry()
      }
    finally out.close()
    file.toFile
  }

  test("a folder that is not there is an error when the routes are made, which names it") {
    val directory = temporaryDirectory()
    val files     = jar(directory, "files.jar", "", "public/assets/a.txt")
    val names     =
      jar(directory, "names.jar", "files.jar") // as launchers make one where command lines are short
    for (jars <- List(files, names)) withJars(jars) {
      for (folder <- List("public", "/public/assets/", "META-INF")) resources("/c", folder)
      for (folder <- List("publik", "public/assets/a.txt", "public/asset")) {
        val refused = intercept[IllegalArgumentException](resources("/c", folder))
        assertEquals(refused.getMessage, s"the class path has no folder '$folder', or nothing in it")
      }
      assert(
        intercept[IllegalArgumentException](singleResource(
          "/one",
          "publik/a.txt"
        )).getMessage.contains("'publik'")
      )
    }
  }

  test("a segment that is no name is not looked for, as the class path might resolve it") {
    val below = resources("/d", "needletail/content")
    assertEquals(below.test(Request.get("/d/ResourcesSuite.class")).status.code, 200)
    assertEquals(below.test(Request.get("/d/file/ByteRangesSuite.class")).status.code, 200)
    for (
      path <- Seq(
        "..%5ccontent%5cResourcesSuite.class",
        "%2e%2e/content/ResourcesSuite.class",
        "file%2fByteRangesSuite.class",
        "file%2f.%2fByteRangesSuite.class"
      )
    )
      assertEquals(below.test(Request.get(s"/d/$path")).status.code, 404, path)
  }

  test(
    "jars whose manifests name each other are searched once, and what cannot be searched may have the folder"
  ) {
    val directory = temporaryDirectory()
    val first     = jar(directory, "first.jar", "second.jar first.jar")
    jar(directory, "second.jar", "first.jar none.jar", "public/a.txt")
    withJars(first) {
      resources("/c", "public")
      intercept[IllegalArgumentException](resources("/c", "publik"))
      ()
    }
    val thread = Thread.currentThread
    val before = thread.getContextClassLoader
    val remote = java.net.URI.create("http://127.0.0.1:1/x/").toURL // where nobody listens
    val loader = new URLClassLoader(Array(remote), ClassLoader.getPlatformClassLoader)
    thread.setContextClassLoader(loader)
    try resources("/c", "publik")
    finally {
      thread.setContextClassLoader(before)
      loader.close()
    }
  }
}
