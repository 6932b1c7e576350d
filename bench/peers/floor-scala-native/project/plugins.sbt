addSbtPlugin("org.scala-native" % "sbt-scala-native" % "0.5.10")
