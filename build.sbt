import sbtcrossproject.CrossProject

val scala213 = "2.13.18"
val scala3   = "3.3.7"

ThisBuild / organization     := "dev.needletail"
ThisBuild / version          := "0.1.0-SNAPSHOT"
ThisBuild / scalaVersion     := scala213
ThisBuild / licenses         := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"))
ThisBuild / versionScheme    := Some("early-semver")
ThisBuild / evictionErrorLevel := Level.Warn
Global / onChangedBuildSource := ReloadOnSourceChanges

val compileOptions = Def.task {
  val common = Seq("-deprecation", "-feature", "-unchecked", "-encoding", "utf8")
  CrossVersion.partialVersion(scalaVersion.value) match {
    case Some((2, _)) =>
      common ++ Seq("-Xsource:3", "-Xlint:_,-byname-implicit", "-Wdead-code", "-Wunused:_", "-Wvalue-discard", "-Werror",
        "-language:implicitConversions,higherKinds")
    case _ =>
      common ++ Seq("-Wunused:imports,privates,locals", "-Werror", "-language:implicitConversions")
  }
}

val shared = Seq(
  scalacOptions ++= compileOptions.value,
  Compile / doc / scalacOptions -= "-Werror",
  Test / parallelExecution := false,
  Test / fork := false
)

val onJvm = Seq(
  crossScalaVersions := Seq(scala213, scala3)
)

val onNative = Seq(
  crossScalaVersions := Seq(scala213),
  publishArtifact := true
)

/** A module: `name/shared`, `name/jvm`, `name/native`; published as needletail-name. */
def module(project: CrossProject): CrossProject =
  project
    .settings(moduleName := s"needletail-${baseDirectory.value.getParentFile.getName}")
    .settings(shared)
    .jvmSettings(onJvm)
    .nativeSettings(onNative)

/** The thin front the tests are written against: munit on the JVM, our own runner on Native. */
lazy val testing = crossProject(JVMPlatform, NativePlatform).in(file("testing")).configureCross(module)
  .settings(publish / skip := true)
  .jvmSettings(libraryDependencies += "org.scalameta" %% "munit" % "1.2.4")

lazy val async   = crossProject(JVMPlatform, NativePlatform).in(file("async")).configureCross(module).dependsOn(testing % Test)
lazy val actor   = crossProject(JVMPlatform, NativePlatform).in(file("actor")).configureCross(module).dependsOn(async, testing % Test)
lazy val io      = crossProject(JVMPlatform, NativePlatform).in(file("io")).configureCross(module).dependsOn(async, testing % Test)
lazy val http    = crossProject(JVMPlatform, NativePlatform).in(file("http")).configureCross(module).dependsOn(async, testing % Test)
lazy val routing = crossProject(JVMPlatform, NativePlatform).in(file("routing")).configureCross(module).dependsOn(http, testing % Test)
lazy val server  = crossProject(JVMPlatform, NativePlatform).in(file("server")).configureCross(module).dependsOn(io, http, actor, testing % Test)

lazy val root = project
  .in(file("."))
  .settings(publish / skip := true, crossScalaVersions := Nil)
  .aggregate(
    Seq(testing, async, actor, io, http, routing, server).flatMap(m => Seq[ProjectReference](m.jvm, m.native)) *
  )
