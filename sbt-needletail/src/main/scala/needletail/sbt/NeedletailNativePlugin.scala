package needletail.sbt

import _root_.sbt._
import _root_.sbt.Keys._
import scala.scalanative.build.{LTO, Mode, NativeConfig}
import scala.scalanative.sbtplugin.ScalaNativePlugin
import scala.scalanative.sbtplugin.ScalaNativePlugin.autoImport._

/**
 * Compiles and links programs of Scala Native so that they are correct, small and quick. The reasons for each option
 * are in decisions 3, 14, 15, 22 and 27 of Needletail.
 */
object NeedletailNativePlugin extends AutoPlugin {
  override def requires = ScalaNativePlugin && NeedletailPlugin
  override def trigger  = allRequirements

  object autoImport {
    val needletailStatic = settingKey[Boolean](
      "Whether native programs are linked statically, including the C library, for containers that contain nothing " +
        "else. With glibc, host names can then be resolved only where the same glibc is installed. " +
        "Default: whether NEEDLETAIL_STATIC is 1."
    )
    val needletailLinkedTls = settingKey[Boolean](
      "Whether native programs are linked with OpenSSL instead of loading it when they first need it; for static " +
        "programs, which cannot load it. Needs libssl-dev or its equivalent. " +
        "Default: whether NEEDLETAIL_LINKED_TLS is 1."
    )
    val needletailSymbols = settingKey[Boolean](
      "Whether native release programs keep the symbol table, for debuggers and profilers; it is a seventh of " +
        "a program. Stack traces do not need it. Default: whether NEEDLETAIL_SYMBOLS is 1."
    )
    val needletailRelease = settingKey[Boolean](
      "Whether native programs are linked in release mode (release-fast), with thin LTO where lld works. " +
        "Default: true, unless SCALANATIVE_MODE is set. SCALANATIVE_LTO always applies."
    )
  }
  import NeedletailPlugin.autoImport._
  import autoImport._

  override def buildSettings: Seq[Setting[_]] = Seq(
    needletailStatic    := sys.env.get("NEEDLETAIL_STATIC").contains("1"),
    needletailLinkedTls := sys.env.get("NEEDLETAIL_LINKED_TLS").contains("1"),
    needletailSymbols   := sys.env.get("NEEDLETAIL_SYMBOLS").contains("1"),
    needletailRelease   := !sys.env.contains("SCALANATIVE_MODE")
  )

  override def projectSettings: Seq[Setting[_]] = Seq(
    nativeConfig := {
      val config = nativeConfig.value
      configured(
        linkable(config, moduleName.value),
        NativeLinker.of(config.clangPP, streams.value.log),
        (LocalRootProject / target).value / "needletail",
        needletailRelease.value,
        needletailSymbols.value,
        needletailStatic.value,
        needletailLinkedTls.value
      )
    },
    needletailDist := Shipped.native(
      needletailDistDirectory.value,
      needletailDistName.value,
      nativeConfig.value.gc.name,
      (Compile / nativeLink).value,
      (Compile / fullClasspath).value.files,
      streams.value.log
    )
  )

  /** Scala Native links no binary that is named as its working directory is, and says so after minutes. */
  private def linkable(config: NativeConfig, module: String): NativeConfig =
    if (config.baseName.isEmpty && module == "native") config.withBaseName("native-program") else config

  private def configured(
      config: NativeConfig,
      linker: NativeLinker,
      directory: File,
      release: Boolean,
      symbols: Boolean,
      whole: Boolean,
      linkedTls: Boolean
  ): NativeConfig = {
    val headers = Seq("native_registers.h", "native_stack.h").map(PluginFiles.file(directory, _))
    val common  = config
      .withMultithreading(true) // event loops are threads
      .withCompileOptions(
        config.compileOptions ++ headers.flatMap(header => Seq("-include", header.getPath)) ++
          (if (whole) Seq("-DNEEDLETAIL_STATIC") else Nil) ++
          (if (linkedTls) Seq("-DNEEDLETAIL_TLS_LINKED") else Nil)
      )
      .withLinkingOptions(
        config.linkingOptions ++
          (if (linker.lld) withLld(directory) else Nil) ++
          // what C++ needs comes with the program, which saves its start a library and a megabyte
          (if (linker.staticCpp)
             Seq("-static-libstdc++", "-static-libgcc", "-Wno-unused-command-line-argument")
           else Nil) ++
          (if (release && !symbols) Seq("-s") else Nil) ++ // stack traces use the dynamic symbols
          // fixed addresses either way (decision 14)
          (if (whole) Seq("-static") else if (linker.lld) Seq("-no-pie") else Nil) ++
          (if (linkedTls) Seq("-Wl,--as-needed", "-lssl", "-lcrypto", "-Wl,--no-as-needed") else Nil)
      )
    val optimised = if (release) common.withMode(Mode.releaseFast) else common
    if (sys.env.contains("SCALANATIVE_LTO")) optimised
    else optimised.withLTO(if (release && linker.lld) LTO.thin else LTO.none)
  }

  /** Decisions 14 and 15; what LTO has compiled of a module is kept for the next link that has the same. */
  private def withLld(directory: File): Seq[String] = Seq(
    "-fuse-ld=lld",
    "-Wl,--wrap=scalanative_StackOverflowGuards_setup",
    s"-Wl,--symbol-ordering-file=${PluginFiles.file(directory, "native_order.txt").getPath}",
    "-Wl,--no-warn-symbol-ordering",
    "-Wl,--hash-style=gnu",
    s"-Wl,--thinlto-cache-dir=${(directory / "thin-lto").getPath}",
    "-Wl,--thinlto-cache-policy=cache_size_bytes=1g:prune_after=336h"
  )
}
