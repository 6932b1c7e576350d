import sbtcrossproject.CrossProject
import needletail.sbt.Training
import scala.scalanative.build.Mode

// The Scala versions of this build: nothing else names them. `./test` and sbt's prompt switch with ++2.13.x and ++3.x.
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

lazy val dist =
  inputKey[Unit]("What a release ships, in dist/bin: of all programs, of those named, or of this one.")
lazy val publishModules = inputKey[Unit](
  "Publishes the named modules and those that they need to the local Ivy repository, for the JVM and Native."
)
lazy val started    = taskKey[Unit]("Leaves a file by which ./test knows when sbt had started.")
lazy val quickly    = taskKey[Result[Unit]]("testQuick, and how it ended.")
lazy val countQuick =
  taskKey[Unit]("Runs the tests on the JVM that a change may affect, and leaves their counts for ./test.")
lazy val countJvm    = taskKey[Unit]("Runs the tests on the JVM and leaves their counts for ./test.")
lazy val countNative = taskKey[Unit]("Runs the tests on Native and leaves their counts for ./test.")
lazy val startNative = taskKey[Unit]("Begins with the tests on Native, beside what comes before countNative.")
lazy val countDocs   = taskKey[Unit]("Makes the API docs of all modules and leaves the outcome for ./test.")
lazy val countFormat = taskKey[Unit]("Checks the format of all sources and leaves the outcome for ./test.")
lazy val structure   = taskKey[Unit]("Checks what knows what, by project/structure.txt.")
lazy val countConformance = taskKey[Unit]("Runs the conformance suites and leaves their counts for ./test.")

val compileOptions = Def.task {
  val common = Seq("-deprecation", "-feature", "-unchecked", "-encoding", "utf8")
  // mutants leave what they do not use any more
  val strict = if (sys.env.contains("NEEDLETAIL_WARN_ONLY")) Nil else Seq("-Werror")
  CrossVersion.partialVersion(scalaVersion.value) match {
    case Some((2, _)) =>
      common ++ Seq(
        "-Xsource:3",
        "-Xlint:_,-byname-implicit",
        "-Wdead-code",
        "-Wunused:_",
        "-Wvalue-discard",
        "-language:implicitConversions,higherKinds"
      ) ++ strict
    case _ =>
      common ++ Seq("-Wunused:imports,privates,locals", "-language:implicitConversions") ++ strict
  }
}

val shared = Seq(
  scalacOptions ++= compileOptions.value,
  // Scala 3's scaladoc skips the option, and says so for each module.
  Compile / doc / scalacOptions --= (if (scalaBinaryVersion.value == "3") Seq("-Werror") else Nil),
  Test / scalacOptions -= "-Wdead-code", // tests throw where values are expected
  Test / parallelExecution := false,
  Test / fork              := false,
  Test / testListeners += TestCounts.Heard,
  Test / quickly := (Test / testQuick).toTask("").result.value,
  // Set by ./test when it writes to a file or a pipe.
  Test / testOptions ++= sys.env.get("NO_COLOR").map(_ => Tests.Argument(TestFrameworks.MUnit, "-n"))
)

val published = Seq(
  name        := moduleName.value,
  description := s"${moduleName.value}, a module of Needletail: serving HTTP on the JVM and Scala Native",
  organizationName := "Needletail",
  pomPostProcess   := Pom.withoutTests,
  // sbt-needletail/run publishes for a test, which needs no documentation
  Compile / packageDoc / publishArtifact := !sys.env.contains("NEEDLETAIL_NO_DOCS"),
  // Test would take the setting above from Compile, and publish the documentation of the tests.
  Test / publishArtifact := false
)

val onJvm = Seq(
  crossScalaVersions := Seq(scala213, scala3)
)

val onNative = Seq(
  crossScalaVersions := Seq(scala213)
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

/**
 * Sources of testkit that the tests of a module below it compile for themselves, as a project cannot depend on one that
 * depends on it: see docs/decisions/0025-testkit.md.
 */
def withTestkit(names: String*) = Test / unmanagedSources ++= {
  val folder =
    (LocalRootProject / baseDirectory).value / "testkit" / "shared" / "src" / "main" / "scala" / "needletail" / "testkit"
  names.map(name => folder / s"$name.scala")
}

lazy val async = module("async")
  .dependsOn(testing % Test)
  .settings(withTestkit("ManualLoop"))
  .nativeSettings(
    // for the line that a program prints which was linked without the plugin (needletail_notice.c)
    Compile / resourceGenerators += Def.task {
      val header = (Compile / resourceManaged).value / "scala-native" / "needletail_version.h"
      val text   = s"""#define NEEDLETAIL_VERSION "${version.value}"\n"""
      if (!header.exists || IO.read(header) != text) IO.write(header, text)
      Seq(header)
    }
  )
lazy val actor = module("actor").dependsOn(async, testing % Test, testkit % Test)
lazy val io    = module("io").dependsOn(async, testing % Test)

/** Streams of elements, on demand. */
lazy val stream = module("stream")
  .dependsOn(async, testing % Test)
  .settings(withTestkit("ManualLoop"))
  .jvmSettings(
    libraryDependencies ++= Seq(
      "org.scalacheck"     %% "scalacheck"                % "1.18.1" % Test,
      "org.reactivestreams" % "reactive-streams-tck-flow" % "1.0.4"  % Test
    )
  )
lazy val http    = module("http").dependsOn(async, stream, testing % Test)
lazy val metrics = module("metrics").dependsOn(testing % Test)
lazy val routing = module("routing")
  .dependsOn(http, testing % Test)
  .settings(withTestkit("ManualLoop", "TestConnection", "TestExchange", "TestReply", "package"))

/** Codecs, and clients of any protocol. */
lazy val tcp = module("tcp")
  .dependsOn(io % "compile;test->test", testing % Test)
  .settings(withTestkit("CodecTest"))

/** What users test handlers, routes and codecs with. */
lazy val testkit = module("testkit").dependsOn(async, http, routing, tcp, testing % Test)

lazy val server =
  module("server").dependsOn(io, http, tcp, metrics, testing % Test, testkit % Test, actor % Test)
lazy val client =
  module("client")
    .dependsOn(io % "compile;test->test", http, metrics, testing % Test, server % "test->test")

/** WebSocket. */
lazy val websocket =
  module("websocket").dependsOn(
    io,
    http,
    client  % "compile;test->test",
    testing % Test,
    testkit % Test,
    routing % Test,
    server  % "test->test"
  )

/** JSON values, and bodies for routes. */
lazy val json = module("json").dependsOn(routing, testing % Test, testkit % Test)

/**
 * The version of jsoniter-scala for Scala Native, which this build does without unless it is named, as not every
 * repository has it: `./sbt -Dneedletail.jsoniter.native=2.38.17`.
 */
val jsoniterOnNative = sys.props.get("needletail.jsoniter.native").filter(_.nonEmpty)

/** Bodies by codecs of jsoniter-scala. */
lazy val jsoniter = module("jsoniter")
  .dependsOn(json, routing, testing % Test, testkit % Test)
  .jvmSettings(
    libraryDependencies ++= {
      val version = if (scalaBinaryVersion.value == "3") "2.38.17" else "2.23.3"
      Seq(
        "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-core"   % version,
        "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-macros" % version % Test
      )
    }
  )
  .nativeSettings(
    libraryDependencies ++= jsoniterOnNative.toSeq.flatMap { version =>
      Seq(
        "com.github.plokhotnyuk.jsoniter-scala" %%% "jsoniter-scala-core"   % version,
        "com.github.plokhotnyuk.jsoniter-scala" %%% "jsoniter-scala-macros" % version % Test
      )
    },
    Seq(Compile, Test).flatMap(scope =>
      scope / sources := (if (jsoniterOnNative.isEmpty) Nil else (scope / sources).value)
    ),
    publish / skip := jsoniterOnNative.isEmpty
  )

val brotli4jVersion = "1.18.0"

/** What web programs need besides routes: files, compression, forms, events. */
lazy val content =
  module("content")
    .dependsOn(client % "compile;test->test", json, routing, testing % Test, testkit % Test)
    // For programs that have them on their class path; natively the system's libraries are used.
    .jvmSettings(
      libraryDependencies ++= Seq(
        "com.aayushatharva.brotli4j" % "brotli4j"            % brotli4jVersion % Optional,
        "com.aayushatharva.brotli4j" % "native-linux-x86_64" % brotli4jVersion % Test,
        "com.github.luben"           % "zstd-jni"            % "1.5.7-6"       % Optional
      )
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

/** Servers, clients, WebSockets and gateways simulated: in memory and virtual time: see docs/testing.md. */
lazy val simulation = module("simulation")
  .dependsOn(server, client, gateway, routing, actor, websocket, content, testing % Test)
  .settings(publish / skip := true)
  .jvmSettings(
    // Twenty thousand simulations leave much for the collector: they have a process of their own.
    Test / fork := true,
    Test / javaOptions += "-Xmx1g",
    // The sources are the same as with 2.13, which runs all of them.
    Test / envVars ++= (
      if (scalaBinaryVersion.value == "3" && !sys.env.contains("NEEDLETAIL_SEEDS"))
        Map("NEEDLETAIL_SEEDS" -> "2000")
      else Map.empty[String, String]
    )
  )

/** The load tester, a program for the JVM: `dist/bin/needletail-load`. */
lazy val load = project
  .in(file("load"))
  .dependsOn(
    client.jvm,
    websocket.jvm,
    testing.jvm    % Test,
    simulation.jvm % Test,
    server.jvm     % "test->test"
  )
  .settings(moduleName := "needletail-load", shared, published, onJvm)
  .settings(
    // The program is shipped as Scala 2.13 compiles it: its whole runs, which wait for the clock, are of that one.
    Test / testOptions ++= {
      if (scalaBinaryVersion.value == "3") Seq(Tests.Exclude(Seq("needletail.load.command.EndToEndSuite")))
      else Nil
    },
    Compile / mainClass := Some("needletail.load.Main"),
    needletailTraining  := {
      val page = (target.value / "training.html").getPath
      Training.Tool(url =>
        Seq("run", url, "--users", "4", "--duration", "2s", "--assert", "p99 < 1 min", "--html", page)
      )
    },
    dist := { val _ = needletailDist.value },
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
  .dependsOn(client, content, gateway, json, testkit, websocket, testing % Test)
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

/**
 * A program's main class is `needletail.examples.NAME.Main`; a release ships it for both platforms. Natively it is
 * linked for a release unless SCALANATIVE_MODE says otherwise: the tests run in nativeTests, linked for debugging.
 */
def program(name: String): CrossProject =
  example(name)
    .settings(Compile / mainClass := Some(s"needletail.examples.$name.Main"))
    .settings(
      needletailDistName := name,
      dist               := { val _ = needletailDist.value }
    )
    .jvmSettings(
      needletailTraining :=
        Training.Server(
          Seq("--port", "0"),
          Seq("/", "/plaintext", "/json", "/hello", "/dispatcher")
        )
    )
    // Full optimisation takes minutes for each program, so it is given to the one that is measured.
    .nativeSettings(
      nativeConfig := {
        val config = nativeConfig.value
        if (name == "reference" && needletailRelease.value) config.withMode(Mode.releaseFull) else config
      }
    )

lazy val options   = example("options").dependsOn(gateway, routing, testing % Test)
lazy val hello     = program("hello").dependsOn(options, testing % Test, testkit % Test)
lazy val counter   = program("counter").dependsOn(options, actor, testing % Test)
lazy val line      = program("line").dependsOn(options, testing % Test, testkit % Test)
lazy val redis     = program("redis").dependsOn(options, tcp, testing % Test, testkit % Test)
lazy val memcached = program("memcached").dependsOn(options, actor, testing % Test, testkit % Test)

lazy val reference =
  program("reference")
    .dependsOn(options, content, json, websocket, services % "test->test", testing % Test, testkit % Test)
lazy val chat =
  program("chat").dependsOn(options, actor, websocket, services % "test->test", testing % Test)
lazy val overload = program("overload").dependsOn(options, testing % Test, testkit % Test)
lazy val cgihost  = program("cgihost").dependsOn(options, server % "test->test", testing % Test)

// The online store, of three programs.
lazy val services =
  example("services").dependsOn(options, json, client % Test, testing % Test, testkit % Test)
lazy val search  = program("search").dependsOn(services, testing % Test, testkit % Test)
lazy val payment = program("payment").dependsOn(services, testing % Test, testkit % Test)
lazy val store   = program("store").dependsOn(
  services % "compile;test->test",
  client,
  search  % Test,
  payment % Test,
  testing % Test,
  testkit % Test
)

/** One request, many calls at the same time. */
lazy val stock = program("stock")
  .dependsOn(services % "compile;test->test", client, json, testing % Test, testkit % Test)

/** All of it in one process, with customers and a page to watch: what `run` starts. */
lazy val demo = program("demo")
  .dependsOn(store % "compile;test->test", search, payment, content, testing % Test, testkit % Test)
  .settings(
    Compile / sourceGenerators += Def.task {
      LivePage.generate(
        (Compile / sourceManaged).value,
        (LocalRootProject / baseDirectory).value / "examples" / "demo" / "page"
      )
    }
  )

/** The program for the board HttpArena, which no release ships: see bench/httparena/README.md. */
lazy val httparena = crossed("httparena", file("bench") / "httparena")
  .dependsOn(options, content, json, websocket, testing % Test, testkit % Test)
  .jvmConfigure(_.dependsOn(jsoniter.jvm))
  .settings(
    moduleName          := "needletail-bench-httparena",
    publish / skip      := true,
    Compile / mainClass := Some("needletail.bench.httparena.Main"),
    needletailDistName  := "httparena",
    dist                := { val _ = needletailDist.value }
  )
  .jvmSettings(
    needletailTraining := Training.Server(
      Seq(
        "--port",
        "0",
        "--cert",
        "none",
        "--dataset",
        (baseDirectory.value.getParentFile / "training.json").getPath
      ),
      Seq("/pipeline", "/baseline11?a=1&b=2", "/json/2?m=3", "/static/none", "/ws")
    ),
    libraryDependencies ++= Seq(
      "com.github.plokhotnyuk.jsoniter-scala"                         %% "jsoniter-scala-macros" %
        (if (scalaBinaryVersion.value == "3") "2.38.17" else "2.23.3") % Provided,
      "com.aayushatharva.brotli4j" % "brotli4j"            % brotli4jVersion,
      "com.aayushatharva.brotli4j" % "native-linux-x86_64" % brotli4jVersion
    )
  )
  .nativeSettings(
    nativeConfig := {
      val config = nativeConfig.value
      if (needletailRelease.value) config.withMode(Mode.releaseFull) else config
    }
  )

/** What compressing a response costs, which no release ships: see bench/README.md. */
lazy val gzipCost = crossed("gzipCost", file("bench") / "gzip")
  .dependsOn(content, testkit)
  .settings(
    moduleName          := "needletail-bench-gzip",
    publish / skip      := true,
    Compile / mainClass := Some("needletail.bench.gzip.Main"),
    needletailDistName  := "gzip-cost",
    dist                := { val _ = needletailDist.value }
  )
  .nativeSettings(
    nativeConfig := {
      val config = nativeConfig.value
      if (needletailRelease.value) config.withMode(Mode.releaseFull) else config
    }
  )

lazy val programs: Map[String, Seq[ProjectReference]] =
  Seq(
    hello,
    counter,
    line,
    redis,
    memcached,
    reference,
    chat,
    overload,
    cgihost,
    search,
    payment,
    store,
    stock,
    demo
  )
    .map(program => folder(program) -> Seq[ProjectReference](program.jvm, program.native))
    .toMap + ("load" -> Seq(load))

/** `dist` of all programs, or of those named: `./sbt "dist hello store"`. */
lazy val distNamed = Def.inputTaskDyn {
  val names   = Def.spaceDelimited("program").parsed
  val unknown = names.filterNot(programs.contains)
  if (unknown.nonEmpty)
    throw new MessageOnlyException(
      s"no program is named ${unknown.mkString(", ")}; there are ${programs.keys.toSeq.sorted.mkString(", ")}"
    )
  val chosen = if (names.isEmpty) programs.values.flatten.toSeq else names.flatMap(programs)
  Def.task { val _ = needletailDist.all(ScopeFilter(inProjects(chosen: _*))).value }
}

/** `./sbt "publishModules server json"`: with Scala 3 (`++3.x`) for the JVM only. */
lazy val publishNamed = Def.inputTaskDyn {
  val names   = Def.spaceDelimited("module").parsed
  val known   = structuredModules.map(module => folder(module) -> module).toMap
  val unknown = names.filterNot(known.contains)
  if (names.isEmpty || unknown.nonEmpty)
    throw new MessageOnlyException(
      (if (names.isEmpty) "name the modules to publish"
       else s"no module is named ${unknown.mkString(", ")}") +
        s"; there are ${known.keys.toSeq.sorted.mkString(", ")}"
    )
  val native = (async.jvm / scalaBinaryVersion).value != "3"
  val wanted = names.map(known).flatMap(m => m.jvm +: (if (native) Seq(m.native) else Nil))
  val needed = wanted.map(project => inDependencies(project: ProjectReference)).reduce(_ || _)
  Def.task { val _ = publishLocal.all(ScopeFilter(needed)).value }
}

lazy val crossModules =
  Seq(
    testing,
    async,
    actor,
    io,
    stream,
    http,
    routing,
    json,
    jsoniter,
    content,
    metrics,
    tcp,
    testkit,
    server,
    client,
    gateway,
    fuzz,
    websocket,
    simulation,
    options,
    hello,
    counter,
    line,
    redis,
    memcached,
    reference,
    chat,
    overload,
    cgihost,
    httparena
  ) ++ Seq(services, search, payment, store, stock, demo)

/** What NEEDLETAIL_MODULES names, which `./test io http` sets; all when it names none. */
lazy val chosen: String => Boolean = {
  val names = sys.env.getOrElse("NEEDLETAIL_MODULES", "").split(' ').filter(_.nonEmpty).toSet
  val known = crossModules.map(folder).toSet + "load"
  (names -- known).foreach(name =>
    sys.error(s"no module is named $name; there are ${known.toSeq.sorted.mkString(", ")}")
  )
  if (names.isEmpty) known else names
}

lazy val chosenModules = crossModules.filter(module => chosen(folder(module)))

def folder(module: CrossProject): String = module.jvm.base.getParentFile.getName

def testsOf(projects: Seq[Project]): ScopeFilter =
  ScopeFilter(inProjects(projects.map(p => p: ProjectReference): _*), inConfigurations(Test))

/**
 * How the tests on Native run, each line a process beside the others: in two parts of about the same length, and what
 * does I/O once more with the poller that is not the default (PollerKind). RouteLimitSuite, which computes for minutes,
 * has a virtual server and no poller.
 */
def nativeRuns: Seq[TestCounts.Run] = {
  def prefixes(modules: Seq[String]) = modules.map(module => s"needletail.$module.")
  val (first, others) = crossModules.map(folder).filter(chosen).partition(Set("io", "server", "gateway"))
  val again           = Seq("io", "server").filter(chosen)
  Seq(
    first  -> TestCounts.Run("first part", prefixes(first), Nil),
    others -> TestCounts.Run("other part", prefixes(first).map("-" + _), Nil),
    again  -> TestCounts.Run(
      "io_uring",
      prefixes(again) :+ "-RouteLimitSuite",
      Seq("NEEDLETAIL_POLLER" -> "io_uring")
    )
  ).collect { case (modules, run) if modules.nonEmpty => run }
}

/** The tests of all modules on Native, as one program that is linked once; `nativeTests/run io` runs a part. */
lazy val nativeTests = project
  .in(file("testing/program"))
  .enablePlugins(ScalaNativePlugin)
  .dependsOn(chosenModules.map(_.native % "compile->test"): _*)
  .settings(shared, onNative, publish / skip := true)
  .settings(
    needletailRelease   := false,
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

lazy val casesReady = taskKey[Unit]("Leaves the class path for conformance/websocket/run.")

/** A client for the test servers of WebSockets: see conformance/websocket/run. */
lazy val websocketCases = crossed("websocketCases", file("conformance") / "websocket")
  .dependsOn(websocket)
  .settings(publish / skip := true)
  .jvmSettings(
    casesReady := IO.write(
      target.value / "class-path",
      (Compile / fullClasspath).value.files.mkString(":")
    )
  )

/** JMH: parser, router, encoder, compression. */
lazy val jmh = project
  .in(file("bench/jmh"))
  .enablePlugins(JmhPlugin)
  .dependsOn(http.jvm, routing.jvm, server.jvm, content.jvm, testkit.jvm)
  .settings(shared, onJvm, publish / skip := true)
  .settings(
    libraryDependencies ++= Seq( // to compare streams with
      "co.fs2"           %% "fs2-core"     % "3.11.0",
      "org.apache.pekko" %% "pekko-stream" % "1.1.3"
    )
  )

/** The examples in README.md and in the documents: they have to compile, with either Scala, and to answer as shown. */
lazy val documents = project
  .in(file("target/documents"))
  .dependsOn(
    server.jvm,
    client.jvm,
    tcp.jvm,
    routing.jvm,
    gateway.jvm,
    actor.jvm,
    json.jvm,
    jsoniter.jvm,
    content.jvm,
    websocket.jvm,
    load
  )
  .dependsOn(testing.jvm % Test, testkit.jvm)
  .settings(shared, onJvm, publish / skip := true)
  .settings(
    Test / unmanagedSourceDirectories := Seq((LocalRootProject / baseDirectory).value / "docs" / "suite"),
    scalacOptions                     := Seq("-deprecation", "-encoding", "utf8", "-nowarn"),
    Compile / sourceGenerators += Def.task {
      val root = (LocalRootProject / baseDirectory).value
      DocBlocks.generate(
        ((root / "docs") * "*.md").get :+ (root / "README.md"),
        (Compile / sourceManaged).value
      )
    }
  )

lazy val versions = taskKey[Unit]("Leaves the versions for sbt-needletail/run.")

/** The plugin for users' builds, compiled for sbt. This build itself uses its sources: see project/needletail.sbt. */
lazy val sbtNeedletail = project
  .in(file("sbt-needletail"))
  .settings(
    sbtPlugin          := true,
    moduleName         := "sbt-needletail",
    scalaVersion       := appConfiguration.value.provider.scalaProvider.version, // sbt's own
    crossScalaVersions := Seq(scalaVersion.value),
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-encoding", "utf8", "-Xfatal-warnings"),
    addSbtPlugin("org.scala-native" % "sbt-scala-native" % nativeVersion),
    published,
    versions := IO.write( // options of sbt for the builds that test it
      target.value / "versions",
      s"-Dneedletail.version=${version.value}\n-Dneedletail.scala213=$scala213\n-Dneedletail.scala3=$scala3\n"
    ),
    description := "Needletail's programs in a build of yours: native ones correct and small, and launchers for the JVM"
  )

lazy val stressReady = taskKey[Unit]("Leaves the class path for `./test stress`.")

/** jcstress: what crosses threads, by tests in Java, since its generator reads nothing else. */
lazy val stress = project
  .in(file("stress"))
  .dependsOn(io.jvm, stream.jvm, actor.jvm, routing.jvm, client.jvm, gateway.jvm)
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
lazy val jvmProjects = chosenModules.map(_.jvm) ++ (if (chosen("load")) Seq(load) else Nil) ++
  (if (chosenModules == crossModules) Seq(jmh, stress, documents, websocketCases.jvm)
   else Nil) // no tests, but they have to compile

/** The modules whose inner structure is checked, on the JVM and on Native. */
lazy val structuredModules =
  Seq(
    async,
    actor,
    io,
    stream,
    http,
    routing,
    json,
    jsoniter,
    content,
    metrics,
    tcp,
    testkit,
    server,
    client,
    websocket,
    gateway
  )
lazy val structured: Seq[ProjectReference] =
  structuredModules.map(m => m.jvm: ProjectReference) ++ Seq[ProjectReference](load)
lazy val structuredNative: Seq[ProjectReference] = structuredModules.map(m => m.native: ProjectReference)

lazy val root = project
  .in(file("."))
  .settings(publish / skip := true, crossScalaVersions := Nil)
  .settings(
    dist                       := distNamed.evaluated,
    dist / aggregate           := false,
    publishModules             := publishNamed.evaluated,
    publishModules / aggregate := false,
    run                        := Demo.run(
      (demo.jvm / Runtime / fullClasspath).value.files,
      (demo.jvm / Compile / mainClass).value.get,
      Def.spaceDelimited().parsed
    ),
    started    := IO.touch(baseDirectory.value / "target" / "test-counts" / "started"),
    countQuick := TestCounts.report(
      baseDirectory.value,
      "quick",
      TestCounts.heard(quickly.all(testsOf(jvmProjects)).value),
      streams.value.log
    ),
    countJvm := TestCounts.report(
      baseDirectory.value,
      s"jvm-${(async.jvm / scalaBinaryVersion).value}",
      TestCounts.named(
        executeTests.result.all(testsOf(jvmProjects)).value.map(TestCounts.of(_)).reduce(_ + _)
      ),
      streams.value.log
    ),
    startNative := BackgroundTests.start(
      (nativeTests / Compile / nativeLink).result.value,
      nativeRuns,
      target.value / "native-tests",
      streams.value.log
    ),
    countNative := Def.taskDyn {
      val log  = streams.value.log
      val root = baseDirectory.value
      if (BackgroundTests.isStarted) // without linking anew
        Def.task(TestCounts.report(root, "native", BackgroundTests.counts(), log))
      else
        Def.task {
          startNative.value
          TestCounts.report(root, "native", BackgroundTests.counts(), log)
        }
    }.value,
    commands += Mutants.command(
      simulation.jvm / Runtime / fullClasspath,
      simulation.native / Compile / nativeLink
    ),
    structure := TestCounts.report(
      baseDirectory.value,
      "structure",
      Structure.check(
        baseDirectory.value / "project" / "structure.txt",
        target.value / "structure",
        Seq(
          (Compile / compile).all(ScopeFilter(inProjects(structured: _*))).value,
          (Compile / compile).all(ScopeFilter(inProjects(structuredNative: _*))).value
        ),
        streams.value.log
      ) + FunctionOrder.check(
        baseDirectory.value / "sbt-needletail" / "src" / "main" / "resources" / "needletail" / "sbt" / "native_order.txt",
        (Compile / compile).all(ScopeFilter(inProjects(structuredNative: _*))).value,
        streams.value.log
      ) + Mutants.check(baseDirectory.value, streams.value.log)
        + Sleeps.check(baseDirectory.value, streams.value.log)
        + ToolChecks.check(target.value / "tool-checks", streams.value.log),
      streams.value.log
    ),
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
    countDocs := TestCounts.report(
      baseDirectory.value,
      "docs",
      TestCounts.each((Compile / doc).result.all(ScopeFilter(inProjects(structured: _*))).value),
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
  .aggregate(
    load,
    conformance,
    websocketCases.jvm,
    websocketCases.native,
    gzipCost.jvm,
    gzipCost.native,
    jmh,
    stress,
    documents,
    sbtNeedletail
  )
