// A build of a user of Needletail: one source for the JVM (2.13 and 3) and for Native.
ThisBuild / scalaVersion       := sys.props("needletail.scala213")
ThisBuild / evictionErrorLevel := Level.Warn

lazy val check = taskKey[Unit]("Starts what was built, asks it a request, and stops it.")

val newest     = sys.props("needletail.version")
def program    = sourcesIn("src")

def sourcesIn(folder: String) = Seq(
  Compile / unmanagedSourceDirectories += (LocalRootProject / baseDirectory).value / folder,
  libraryDependencies ++= Seq(
    "dev.needletail" %%% "needletail-server"  % newest,
    "dev.needletail" %%% "needletail-routing" % newest
  )
)
val ended      = (LocalRootProject / baseDirectory) (_ / "target" / "checked")

lazy val onJvm = project.settings(
  program,
  crossScalaVersions      := Seq(sys.props("needletail.scala213"), sys.props("needletail.scala3")),
  needletailDistDirectory := target.value / s"dist-${scalaBinaryVersion.value}",
  check                   := {
    val launcher = needletailDist.value
    val said     = ServerOutput.of(launcher)
    assert(said.answer == "Hello, Ann!", said)
    val lib      = launcher.getParentFile.getParentFile / "lib"
    val prepared = (lib * "onJvm-*.jsa").get ++ (lib * "onJvm-*.aot").get
    assert(prepared.nonEmpty, s"neither class archive nor AOT cache in $lib")
    IO.touch(ended.value / s"jvm-${scalaBinaryVersion.value}")
  }
)

/** Linked statically by one setting, for release. */
lazy val onNative = project
  .enablePlugins(ScalaNativePlugin)
  .settings(
    program,
    name              := "native", // which Scala Native by itself does not link
    needletailStatic  := true,
    needletailSymbols := true, // what is looked for below is a name
    check             := {
      val binary = needletailDist.value
      val said   = ServerOutput.of(binary)
      assert(said.answer == "Hello, Ann!", said)
      assert(!said.errors.contains("sbt-needletail"), said)
      val text = IO.read(binary, java.nio.charset.StandardCharsets.ISO_8859_1)
      assert(text.contains("\u0000__wrap_scalanative_StackOverflowGuards_setup\u0000"), "no guard of the stack")
      assert(!text.contains("/ld-linux") && !text.contains("/ld-musl"), "linked dynamically")
      assert(text.contains("TLS needs OpenSSL 3, which a static program cannot load: build it with "), "no way to TLS")
      IO.touch(ended.value / "native")
    }
  )

/** Linked statically with OpenSSL, where that is installed for it. */
lazy val onNativeTls = project
  .enablePlugins(ScalaNativePlugin)
  .settings(
    sourcesIn("src-tls"),
    needletailStatic    := true,
    needletailLinkedTls := true,
    check               := Def.taskDyn {
      if (StaticTls.isInstalled) Def.task {
        val binary       = needletailDist.value
        val (chain, key) = StaticTls.certificate(target.value)
        val said         = ServerOutput.of(binary, chain.getPath, key.getPath)
        assert(said.answer == "Hello, Ann!", said)
        val text         = IO.read(binary, java.nio.charset.StandardCharsets.ISO_8859_1)
        assert(!text.contains("/ld-linux") && !text.contains("/ld-musl"), "linked dynamically")
        IO.touch(ended.value / "native-tls")
      }
      else Def.task {
        streams.value.log.warn("SKIPPED: a static program with TLS, as there is no libssl.a (libssl-dev)")
        IO.touch(ended.value / "native-tls.skipped")
      }
    }.value
  )

/** The plugin's settings are left out: it says so, and works. */
lazy val without = project
  .enablePlugins(ScalaNativePlugin)
  .disablePlugins(needletail.sbt.NeedletailNativePlugin)
  .settings(
    program,
    check := {
      val said = ServerOutput.of((Compile / nativeLink).value)
      val line = s"""addSbtPlugin("dev.needletail" % "sbt-needletail" % "$newest")"""
      assert(said.answer == "Hello, Ann!", said)
      assert(said.errors.linesIterator.count(_.endsWith(line)) == 1, said)
      IO.touch(ended.value / "without")
    }
  )
