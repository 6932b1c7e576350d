package needletail.sbt

import _root_.sbt._
import _root_.sbt.Keys._
import _root_.sbt.plugins.JvmPlugin

/** Builds programs for release: on the JVM a launcher with its jars and a class archive or AOT cache. */
object NeedletailPlugin extends AutoPlugin {
  override def requires = JvmPlugin
  override def trigger  = allRequirements

  object autoImport {
    val needletailDist = taskKey[File](
      "Builds this program for release: bin/NAME for the JVM with its jars in lib, bin/NAME-native on Scala Native. " +
        "Returns the file to start."
    )
    val needletailDistDirectory =
      settingKey[File](
        "Where needletailDist puts programs; may be shared by projects. Default: dist in the build's directory."
      )
    val needletailDistName =
      settingKey[String]("The name of the program in bin, without -native. Default: the project's name.")
    val needletailTraining = settingKey[Training](
      "How the program is run once for its class archive (Java 17 to 24) or AOT cache (from Java 25 on): " +
        "needletail.sbt.Training. Default: as a server without arguments that is asked for /."
    )
  }
  import autoImport._

  override def buildSettings: Seq[Setting[_]] = Seq(
    needletailDistDirectory := (LocalRootProject / baseDirectory).value / "dist",
    needletailTraining      := Training.Server()
  )

  override def projectSettings: Seq[Setting[_]] = Seq(
    needletailDistName := name.value,
    needletailDist     := Shipped.jvm(
      needletailDistDirectory.value,
      needletailDistName.value,
      (Compile / mainClass).value.getOrElse(
        throw new MessageOnlyException(s"${name.value} has no main class, or several: Compile / mainClass")
      ),
      (Runtime / fullClasspathAsJars).value.files,
      needletailTraining.value,
      streams.value.log
    )
  )
}
