import scala.scalanative.build._

enablePlugins(ScalaNativePlugin)

name         := "floor-scala-native"
scalaVersion := "2.13.18"
scalacOptions ++= Seq("-deprecation", "-Xlint", "-Werror")

nativeConfig ~= {
  _.withMode(Mode.releaseFull).withLTO(LTO.thin).withGC(GC.immix)
}
