addSbtPlugin("dev.needletail" % "sbt-needletail" % sys.props("needletail.version"))
