import sbtcrossproject.CrossProject
import scala.scalanative.build.{LTO, Mode}

val scala213 = "2.13.18"
val scala3   = "3.3.7"

ThisBuild / organization       := "dev.needletail"
ThisBuild / version            := "0.1.0-SNAPSHOT"
ThisBuild / scalaVersion       := scala213
ThisBuild / licenses           := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"))
ThisBuild / versionScheme      := Some("early-semver")
ThisBuild / evictionErrorLevel := Level.Warn
Global / onChangedBuildSource  := ReloadOnSourceChanges
// Suites of different modules bind ports and measure time: one at a time, so that none disturbs another.
Global / concurrentRestrictions += Tags.limit(Tags.Test, 1)

lazy val dist        = taskKey[File]("What a release ships of a program, in dist/bin.")
lazy val countJvm    = taskKey[Unit]("Runs the tests on the JVM and leaves their counts for ./test.")
lazy val countNative = taskKey[Unit]("Runs the tests on Native and leaves their counts for ./test.")
lazy val countFormat = taskKey[Unit]("Checks the format of all sources and leaves the outcome for ./test.")
lazy val countConformance = taskKey[Unit]("Runs the conformance suites and leaves their counts for ./test.")

val compileOptions = Def.task {
  val common = Seq("-deprecation", "-feature", "-unchecked", "-encoding", "utf8")
  CrossVersion.partialVersion(scalaVersion.value) match {
    case Some((2, _)) =>
      common ++ Seq(
        "-Xsource:3",
        "-Xlint:_,-byname-implicit",
        "-Wdead-code",
        "-Wunused:_",
        "-Wvalue-discard",
        "-Werror",
        "-language:implicitConversions,higherKinds"
      )
    case _ =>
      common ++ Seq("-Wunused:imports,privates,locals", "-Werror", "-language:implicitConversions")
  }
}

val shared = Seq(
  scalacOptions ++= compileOptions.value,
  Compile / doc / scalacOptions -= "-Werror",
  Test / scalacOptions -= "-Wdead-code", // tests throw where values are expected
  Test / parallelExecution := false,
  Test / fork              := false,
  Test / testListeners += TestCounts.Failures,
  // Set by ./test when it writes to a file or a pipe.
  Test / testOptions ++= sys.env.get("NO_COLOR").map(_ => Tests.Argument(TestFrameworks.MUnit, "-n"))
)

val published = Seq(
  name        := moduleName.value,
  description := s"${moduleName.value}, a module of Needletail: serving HTTP on the JVM and Scala Native",
  organizationName := "Needletail",
  pomPostProcess   := Pom.withoutTests
)

val onJvm = Seq(
  crossScalaVersions := Seq(scala213, scala3)
)

/**
 * How native programs are linked. lld links with all processors, and sooner than GNU ld through its plug-in; where it
 * is missing that one does, LTO included: programs that came out wrong by it did so by every linker (decision 22).
 * What C++ needs comes with the program, where it is installed for that, which saves its start a library and a megabyte.
 */
lazy val linker: Seq[String] = {
  import scala.sys.process._
  import scala.util.Try
  def answer(command: String*) = Try(Process(command).!!(ProcessLogger(_ => ())).trim).getOrElse("")
  val path                     = sys.env.getOrElse("PATH", "").split(java.io.File.pathSeparatorChar)
  val lld                      = path.exists(folder => (file(folder) / "ld.lld").isFile)
  val static                   = file(answer("clang++", "-print-file-name=libstdc++.a")).isAbsolute
  val order                    = file("project") / "native_order.txt" // what a server runs lies together
  val lean                     = Seq(                                 // decisions 14 and 15
    "-no-pie",
    "-Wl,--wrap=scalanative_StackOverflowGuards_setup",
    s"-Wl,--symbol-ordering-file=${order.getAbsolutePath}",
    "-Wl,--no-warn-symbol-ordering"
  )
  (if (lld) "-fuse-ld=lld" +: lean else Nil) ++
    (if (static) Seq("-static-libstdc++", "-static-libgcc") else Nil) ++
    (if (linkedWhole) Seq("-static") else Nil)
}

/**
 * NEEDLETAIL_STATIC=1: programs with no library beside them, C's included, for containers that hold nothing else. With
 * glibc names of hosts can then be looked up only where the same glibc is installed, which its linker warns of.
 */
lazy val linkedWhole: Boolean = sys.env.get("NEEDLETAIL_STATIC").contains("1")

val onNative = Seq(
  crossScalaVersions := Seq(scala213),
  // Event loops are threads.
  nativeConfig := {
    val config  = nativeConfig.value
    val project = (LocalRootProject / baseDirectory).value / "project"
    val headers = Seq("native_registers.h", "native_stack.h").map(project / _)
    config
      .withMultithreading(true)
      .withLinkingOptions(config.linkingOptions ++ linker)
      .withCompileOptions(
        config.compileOptions ++ headers.flatMap(header => Seq("-include", header.getPath)) ++
          (if (linkedWhole) Seq("-DNEEDLETAIL_STATIC") else Nil)
      )
  }
)

def crossed(name: String, folder: File): CrossProject =
  CrossProject(name, folder)(JVMPlatform, NativePlatform)
    .crossType(CrossType.Full)
    .settings(shared)
    .jvmSettings(onJvm)
    .nativeSettings(onNative)

/** A module: `name/shared`, `name/jvm`, `name/native`; published as needletail-name. */
def module(name: String): CrossProject =
  crossed(name, file(name)).settings(moduleName := s"needletail-$name").settings(published)

/** The thin front the tests are written against: munit on the JVM, our own runner on Native. */
lazy val testing = module("testing")
  .settings(publish / skip := true)
  .jvmSettings(libraryDependencies += "org.scalameta" %% "munit" % "1.2.4")
  .nativeSettings(libraryDependencies += "org.scala-lang" % "scala-reflect" % scalaVersion.value % Provided)

lazy val async   = module("async").dependsOn(testing % Test)
lazy val actor   = module("actor").dependsOn(async, testing % Test)
lazy val io      = module("io").dependsOn(async, testing % Test)
lazy val http    = module("http").dependsOn(async, testing % Test)
lazy val routing = module("routing").dependsOn(http, testing % Test)
lazy val server  = module("server").dependsOn(io, http, actor, testing % Test)
lazy val client  = module("client").dependsOn(io % "compile;test->test", http, testing % Test, server % Test)

/** Bodies as JSON, on jsoniter-scala: for the JVM, which its dependency runs on. */
lazy val json = project
  .in(file("json"))
  .dependsOn(routing.jvm, testing.jvm % Test)
  .settings(moduleName := "needletail-json", shared, published, onJvm)
  .settings(
    libraryDependencies ++= {
      val version = if (scalaBinaryVersion.value == "3") "2.38.17" else "2.23.3"
      Seq(
        "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-core"   % version,
        "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-macros" % version % Test
      )
    }
  )

/** CGI, FastCGI and SCGI, from both sides. */
lazy val gateway = module("gateway")
  .dependsOn(server % "compile;test->test", routing, testing % Test)
  .jvmSettings(
    // Its suites count the descriptors and processes that are left: they have a process of their own.
    Test / fork        := true,
    Test / forkOptions := (Test / forkOptions).value
      .withWorkingDirectory((LocalRootProject / baseDirectory).value)
  )

/** Servers, clients and gateways in a world of its own, in memory and virtual time: see docs/testing.md. */
lazy val simulation = module("simulation")
  .dependsOn(server, client, gateway, routing, testing % Test)
  .settings(publish / skip := true)
  .jvmSettings(
    // Twenty thousand worlds leave much for the collector: they have a process of their own.
    Test / fork := true,
    Test / javaOptions += "-Xmx1g"
  )

/** The load tester, a program for the JVM: `dist/bin/needletail-load`. */
lazy val load = project
  .in(file("load"))
  .dependsOn(client.jvm, testing.jvm % Test, server.jvm % Test)
  .settings(moduleName := "needletail-load", shared, published, onJvm)
  .settings(
    Compile / mainClass := Some("needletail.load.Main"),
    dist                := Dist.tool(
      (LocalRootProject / baseDirectory).value,
      "needletail-load",
      (Compile / mainClass).value.get,
      (Runtime / fullClasspathAsJars).value.files,
      streams.value.log
    ) { url =>
      val page = target.value / "training.html"
      Seq("run", url, "--users", "4", "--duration", "2s", "--assert", "p99 < 1 min", "--html", page.getPath)
    },
    libraryDependencies ++= {
      val jsoniter = if (scalaBinaryVersion.value == "3") "2.38.17" else "2.23.3"
      Seq(
        "org.hdrhistogram"  % "HdrHistogram"     % "2.2.2",
        "org.snakeyaml"     % "snakeyaml-engine" % "2.9",
        "com.github.scopt" %% "scopt"            % "4.1.0",
        // the charts of the reports: one file, put into each page (ChartLibrary)
        "org.webjars.npm" % "chart.js" % "4.4.4" exclude ("org.webjars.npm", "kurkle__color"),
        "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-core"   % jsoniter,
        "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-macros" % jsoniter % Provided
      )
    }
  )

/** What the fuzzer needs to run, and nothing that is compiled. */
lazy val Fuzzer = config("fuzzer").hide

lazy val fuzzReady = taskKey[Unit]("Leaves the class path and the targets for `./test fuzz`.")

/** Readers of foreign bytes as targets of a fuzzer, and their corpus, which is replayed with the tests. */
lazy val fuzz = crossed("fuzz", file("fuzz"))
  .dependsOn(client, gateway, testing % Test)
  .settings(moduleName := "needletail-fuzz", publish / skip := true)
  .jvmConfigure(_.dependsOn(load))
  .jvmSettings(
    ivyConfigurations += Fuzzer,
    libraryDependencies += "com.code-intelligence" % "jazzer" % "0.24.0" % Fuzzer,
    fuzzReady                                     := Fuzz.prepare(
      target.value,
      (Compile / fullClasspath).value.files,
      update.value.select(configurationFilter("fuzzer")),
      (Compile / classDirectory).value
    )
  )

// Programs: each one is also tested. What they share (command line options) lies in examples/options.

def example(name: String): CrossProject =
  crossed(name, file("examples") / name)
    .settings(moduleName := s"needletail-example-$name", publish / skip := true)

/** A program's main class is `needletail.examples.NAME.Main`; a release ships it for both platforms. */
def program(name: String): CrossProject =
  example(name)
    .settings(Compile / mainClass := Some(s"needletail.examples.$name.Main"))
    .jvmSettings(
      dist := Dist.jvm(
        (LocalRootProject / baseDirectory).value,
        name,
        (Compile / mainClass).value.get,
        (Runtime / fullClasspathAsJars).value.files,
        streams.value.log
      )
    )
    .nativeSettings(
      // Linked for a release unless SCALANATIVE_MODE says otherwise: the tests run in nativeTests, linked for
      // debugging. Full optimisation takes minutes for each program, so it is given to the one that is measured.
      nativeConfig ~= { config =>
        if (sys.env.contains("SCALANATIVE_MODE")) config
        else
          config.withMode(if (name == "reference") Mode.releaseFull else Mode.releaseFast).withLTO(LTO.thin)
      },
      dist := Dist.native(
        (LocalRootProject / baseDirectory).value,
        name,
        nativeConfig.value.gc.name,
        (Compile / nativeLink).value,
        streams.value.log
      )
    )

lazy val options   = example("options").dependsOn(gateway, routing, testing % Test)
lazy val hello     = program("hello").dependsOn(options, testing % Test)
lazy val counter   = program("counter").dependsOn(options, testing % Test)
lazy val line      = program("line").dependsOn(options, testing % Test)
lazy val reference = program("reference").dependsOn(options, testing % Test)
lazy val overload  = program("overload").dependsOn(options, testing % Test)
lazy val cgihost   = program("cgihost").dependsOn(options, server % "test->test", testing % Test)

// The online store, of three programs.
lazy val services = example("services").dependsOn(options, client % Test, testing % Test)
lazy val search   = program("search").dependsOn(services, testing % Test)
lazy val payment  = program("payment").dependsOn(services, testing % Test)
lazy val store    = program("store").dependsOn(
  services % "compile;test->test",
  client,
  search  % Test,
  payment % Test,
  testing % Test
)

/** All of it in one process, with customers and a page to watch: what `run` starts. */
lazy val demo = program("demo")
  .dependsOn(store % "compile;test->test", search, payment, testing % Test)
  .settings(
    Compile / sourceGenerators += Def.task {
      LivePage.generate(
        (Compile / sourceManaged).value,
        (LocalRootProject / baseDirectory).value / "examples" / "demo" / "page"
      )
    }
  )

lazy val crossModules =
  Seq(
    testing,
    async,
    actor,
    io,
    http,
    routing,
    server,
    client,
    gateway,
    fuzz,
    simulation,
    options,
    hello,
    counter,
    line,
    reference,
    overload,
    cgihost
  ) ++ Seq(services, search, payment, store, demo)

/** What NEEDLETAIL_MODULES names, which `./test io http` sets; all when it names none. */
lazy val chosen: String => Boolean = {
  val names = sys.env.getOrElse("NEEDLETAIL_MODULES", "").split(' ').filter(_.nonEmpty).toSet
  val known = crossModules.map(folder).toSet + "json" + "load"
  (names -- known).foreach(name =>
    sys.error(s"no module is named $name; there are ${known.toSeq.sorted.mkString(", ")}")
  )
  if (names.isEmpty) known else names
}

lazy val chosenModules = crossModules.filter(module => chosen(folder(module)))

def folder(module: CrossProject): String = module.jvm.base.getParentFile.getName

def testsOf(projects: Seq[Project]): ScopeFilter =
  ScopeFilter(inProjects(projects.map(p => p: ProjectReference): _*), inConfigurations(Test))

/** The tests of all modules on Native, as one program that is linked once; `nativeTests/run io` runs a part. */
lazy val nativeTests = project
  .in(file("testing/program"))
  .enablePlugins(ScalaNativePlugin)
  .dependsOn(chosenModules.map(_.native % "compile->test"): _*)
  .settings(shared, onNative, publish / skip := true)
  .settings(
    Compile / mainClass := Some("needletail.testing.NativeTests"),
    Compile / sourceGenerators += Def.task {
      NativeTests.generate(
        (Compile / sourceManaged).value,
        compile.all(testsOf(chosenModules.map(_.native))).value
      )
    }
  )

/** Raw sockets against the built programs. */
lazy val conformance = project.in(file("conformance")).dependsOn(testing.jvm % Test).settings(
  shared,
  onJvm,
  publish / skip := true
)

/** JMH: parser, router, encoder. */
lazy val jmh = project
  .in(file("bench/jmh"))
  .enablePlugins(JmhPlugin)
  .dependsOn(http.jvm, routing.jvm, server.jvm)
  .settings(shared, onJvm, publish / skip := true)

lazy val stressReady = taskKey[Unit]("Leaves the class path for `./test stress`.")

/** jcstress: what crosses threads, by tests in Java, since its generator reads nothing else. */
lazy val stress = project
  .in(file("stress"))
  .dependsOn(io.jvm, actor.jvm, routing.jvm, client.jvm, gateway.jvm)
  .settings(shared, onJvm, publish / skip := true)
  .settings(
    moduleName                                   := "needletail-stress",
    libraryDependencies += "org.openjdk.jcstress" % "jcstress-core" % "0.16",
    stressReady                                  := IO.write(
      target.value / "stress-classpath",
      (Compile / fullClasspath).value.files.mkString(java.io.File.pathSeparator)
    )
  )

/** The projects with tests on the JVM; conformance needs what `dist` leaves and has a task of its own. */
lazy val jvmProjects = chosenModules.map(_.jvm) ++ (if (chosen("json")) Seq(json) else Nil) ++
  (if (chosen("load")) Seq(load) else Nil) ++
  (if (chosenModules == crossModules) Seq(jmh, stress) else Nil) // no tests, but they have to compile

lazy val root = project
  .in(file("."))
  .settings(publish / skip := true, crossScalaVersions := Nil)
  .settings(
    run := Demo.run(
      (demo.jvm / Runtime / fullClasspath).value.files,
      (demo.jvm / Compile / mainClass).value.get,
      Def.spaceDelimited().parsed
    ),
    countJvm := TestCounts.report(
      baseDirectory.value,
      s"jvm-${(async.jvm / scalaBinaryVersion).value}",
      TestCounts.named(
        executeTests.result.all(testsOf(jvmProjects)).value.map(TestCounts.of(_)).reduce(_ + _)
      ),
      streams.value.log
    ),
    countNative := {
      val program = (nativeTests / Compile / nativeLink).result.value
      val log     = streams.value.log
      val whole   = TestCounts.of(program, Nil, Nil, log)
      // What does I/O once more with the poller that is not the default (PollerKind).
      val again = Seq("io", "server").filter(chosen).map(module => s"needletail.$module.")
      val both  =
        if (again.isEmpty) whole
        else whole + TestCounts.of(program, again, Seq("NEEDLETAIL_POLLER" -> "io_uring"), log)
      TestCounts.report(baseDirectory.value, "native", both, log)
    },
    countFormat := TestCounts.report(
      baseDirectory.value,
      "format",
      TestCounts.of(
        scalafmtCheckAll.result.all(
          ScopeFilter(inAnyProject)
        ).value :+ (Compile / scalafmtSbtCheck).result.value
      ),
      streams.value.log
    ),
    countConformance := TestCounts.report(
      baseDirectory.value,
      "conformance",
      TestCounts.named(TestCounts.of((conformance / Test / executeTests).result.value)),
      streams.value.log
    )
  )
  .aggregate(crossModules.flatMap(m => Seq[ProjectReference](m.jvm, m.native)): _*)
  .aggregate(json, load, conformance, jmh, stress)
