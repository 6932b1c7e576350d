// This build uses the plugin that it publishes (sbt-needletail), from its sources.
Compile / unmanagedSourceDirectories +=
  baseDirectory.value.getParentFile / "sbt-needletail" / "src" / "main" / "scala"
Compile / unmanagedResourceDirectories +=
  baseDirectory.value.getParentFile / "sbt-needletail" / "src" / "main" / "resources"
