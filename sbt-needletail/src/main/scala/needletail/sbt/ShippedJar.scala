package needletail.sbt

import _root_.sbt._
import java.io.{
  BufferedInputStream,
  BufferedOutputStream,
  ByteArrayInputStream,
  ByteArrayOutputStream,
  FileInputStream,
  FileOutputStream
}
import java.lang.invoke.LambdaMetafactory
import java.time.LocalDateTime
import java.util.jar.{JarFile, Manifest}
import java.util.zip.{ZipEntry, ZipInputStream, ZipOutputStream}
import scala.collection.mutable
import scala.tools.asm._
import scala.tools.asm.Opcodes._

/**
 * A jar as a release ships it: the same classes, made for a quick start.
 *
 *   - Functions are classes like any other. What Scala compiles of a function asks the JVM to make its class at run time
 *     (`invokedynamic`), at every start: archives of classes keep no such class where it can be serialized, and those of
 *     Scala can. Here it is made beforehand, and so is in the archive. What the JDK's own factory would do beyond casts
 *     (boxing, private targets, constructors) is left to it.
 *   - The manifest holds what a JVM asks of it, and not what is there for OSGi: it is read at the start for each jar that
 *     a class comes from, and of the Scala library's six thousand lines are left a dozen.
 *
 * The figures are in decision 15.
 */
private[sbt] object ShippedJar {
  private val Always    = LocalDateTime.of(2000, 1, 1, 0, 0)
  private val Signature = "META-INF/[^/]+\\.(SF|RSA|DSA|EC)"

  def make(from: File, to: File): Unit = {
    val in  = new ZipInputStream(new BufferedInputStream(new FileInputStream(from)))
    val out = new ZipOutputStream(new BufferedOutputStream(new FileOutputStream(to)))
    def put(name: String, bytes: Array[Byte]): Unit = {
      val entry = new ZipEntry(name)
      entry.setTimeLocal(Always) // the same jar from the same classes
      out.putNextEntry(entry)
      out.write(bytes)
      out.closeEntry()
    }

    /** The functions go beside their host, which need not be at the root of the jar. */
    def putClasses(name: String, bytes: Array[Byte]): Unit = {
      val own    = new Host(bytes)
      val folder = name.stripSuffix(own.host + ".class")
      if (folder == name) put(name, bytes) // no place for classes of other names
      else own.classes.foreach { case (className, content) => put(folder + className + ".class", content) }
    }
    try Iterator.continually(in.getNextEntry).takeWhile(_ != null).filterNot(_.isDirectory).foreach { entry =>
        val name  = entry.getName
        val bytes = IO.readBytes(in)
        if (name.endsWith(".class") && !name.startsWith("META-INF"))
          putClasses(name, bytes)
        else if (name == JarFile.MANIFEST_NAME) put(name, asked(bytes))
        else if (!name.matches(Signature)) put(name, bytes)
      }
    finally {
      in.close()
      out.close()
    }
    // an archive of classes is good for jars that have not changed since
    to.setLastModified(from.lastModified)
    ()
  }

  private def asked(manifest: Array[Byte]): Array[Byte] = {
    val whole = new Manifest(new ByteArrayInputStream(manifest))
    whole.getEntries.clear() // digests, of what was there before
    whole.getMainAttributes.putValue("Changed", "by Needletail's build: functions are classes")
    whole.getMainAttributes.keySet.removeIf(name => ForOsgi.exists(name.toString.startsWith))
    val left = new ByteArrayOutputStream
    whole.write(left)
    left.toByteArray
  }

  private val ForOsgi =
    Seq("Bundle-", "Export-", "Import-", "Private-Package", "Require-", "Provide-", "DynamicImport-")

  /** A class with functions; `classes`: itself and those made of them, by their names. */
  private final class Host(bytes: Array[Byte]) {
    private val reader    = new ClassReader(bytes)
    val host              = reader.getClassName
    private val functions = mutable.ArrayBuffer.empty[(String, Array[Byte])]
    private val hidden    = mutable.Set.empty[String] // private methods, which another class may not call

    private def flags = ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES
    reader.accept(
      new ClassVisitor(ASM9) {
        override def visitMethod(
            access: Int,
            name: String,
            desc: String,
            sign: String,
            thrown: Array[String]
        ) = {
          if ((access & ACC_PRIVATE) != 0) hidden += name + desc
          null
        }
      },
      flags
    )

    val classes: Seq[(String, Array[Byte])] = {
      val writer = new ClassWriter(reader, 0)
      reader.accept(
        new ClassVisitor(ASM9, writer) {
          override def visitMethod(
              access: Int,
              name: String,
              desc: String,
              sign: String,
              thrown: Array[String]
          ) =
            new MethodVisitor(ASM9, super.visitMethod(access, name, desc, sign, thrown)) {
              override def visitInvokeDynamicInsn(
                  name: String,
                  desc: String,
                  factory: Handle,
                  args: Object*
              ): Unit =
                made(name, desc, factory, args) match {
                  case None       => super.visitInvokeDynamicInsn(name, desc, factory, args: _*)
                  case Some(made) => super.visitMethodInsn(INVOKESTATIC, made, "make", desc, false)
                }
            }
        },
        0
      )
      if (functions.isEmpty) Seq(host -> bytes) else (host -> writer.toByteArray) +: functions
    }

    /** The name of the class of this function, where one can be made. */
    private def made(
        method: String,
        factoryType: String,
        factory: Handle,
        args: Seq[Object]
    ): Option[String] =
      if (factory.getOwner != "java/lang/invoke/LambdaMetafactory") None
      else {
        val erased  = args(0).asInstanceOf[Type]
        val target  = args(1).asInstanceOf[Handle]
        val actual  = args(2).asInstanceOf[Type]
        val options = if (args.length > 3) args(3).asInstanceOf[Int] else 0
        // Behind the options: a count and as many types, for interfaces and then for further forms of the method.
        def types(at: Int) = args.slice(at + 1, at + 1 + args(at).asInstanceOf[Int]).map(_.asInstanceOf[Type])
        val markers        = if ((options & LambdaMetafactory.FLAG_MARKERS) != 0) types(4) else Nil
        val bridges        =
          if ((options & LambdaMetafactory.FLAG_BRIDGES) == 0) Nil
          else types(if ((options & LambdaMetafactory.FLAG_MARKERS) != 0) 5 + markers.length else 4)
        val forms    = (erased +: bridges).distinct
        val captured = Type.getArgumentTypes(factoryType).toSeq
        val wanted   = Type.getArgumentTypes(target.getDesc).toSeq
        val given    = captured ++ actual.getArgumentTypes
        val simple   =
          target.getTag == H_INVOKESTATIC && target.getOwner == host &&
            !hidden(target.getName + target.getDesc) && given.length == wanted.length &&
            given.zip(wanted).forall { case (a, b) => fits(a, b) } &&
            forms.forall { form =>
              form.getArgumentTypes.zip(actual.getArgumentTypes).forall { case (a, b) => fits(a, b) } &&
              fits(Type.getReturnType(target.getDesc), form.getReturnType)
            }
        if (!simple) None
        else {
          val name       = s"$host$$$$function$$${functions.length + 1}"
          val kept       = (options & LambdaMetafactory.FLAG_SERIALIZABLE) != 0
          val interfaces = (Type.getReturnType(factoryType) +: markers).map(_.getInternalName) ++
            (if (kept) Seq("java/io/Serializable") else Nil)
          functions += name -> function(
            name,
            interfaces.distinct,
            method,
            captured,
            forms,
            target,
            factoryType
          )
          Some(name)
        }
      }

    private def fits(from: Type, to: Type): Boolean = isReference(from) && isReference(to) || from == to
    private def isReference(t: Type): Boolean       = t.getSort == Type.OBJECT || t.getSort == Type.ARRAY

    private def function(
        name: String,
        interfaces: Seq[String],
        method: String,
        captured: Seq[Type],
        forms: Seq[Type],
        target: Handle,
        factoryType: String
    ): Array[Byte] = {
      val writer = new ClassWriter(ClassWriter.COMPUTE_MAXS)
      writer.visit(
        V1_8,
        ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC,
        name,
        null,
        "java/lang/Object",
        interfaces.toArray
      )
      val making = Type.getMethodDescriptor(Type.VOID_TYPE, captured: _*)
      val one    = captured.isEmpty // then there need not be more of it
      captured.zipWithIndex.foreach { case (t, n) =>
        writer.visitField(ACC_PRIVATE | ACC_FINAL, s"a$n", t.getDescriptor, null, null).visitEnd()
      }
      if (one)
        writer.visitField(ACC_PRIVATE | ACC_STATIC | ACC_FINAL, "one", s"L$name;", null, null).visitEnd()

      def code(access: Int, name: String, desc: String)(body: MethodVisitor => Unit): Unit = {
        val visitor = writer.visitMethod(access, name, desc, null, null)
        visitor.visitCode()
        body(visitor)
        visitor.visitMaxs(0, 0)
        visitor.visitEnd()
      }

      /** Pushes arguments from local variables, from `first` on. */
      def load(visitor: MethodVisitor, types: Seq[Type], first: Int)(loaded: Int => Unit): Unit = {
        val _ = types.indices.foldLeft(first) { (local, n) =>
          visitor.visitVarInsn(types(n).getOpcode(ILOAD), local)
          loaded(n)
          local + types(n).getSize
        }
      }
      code(ACC_PRIVATE, "<init>", making) { visitor =>
        visitor.visitVarInsn(ALOAD, 0)
        visitor.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false)
        val _ = captured.indices.foldLeft(1) { (local, n) =>
          visitor.visitVarInsn(ALOAD, 0)
          visitor.visitVarInsn(captured(n).getOpcode(ILOAD), local)
          visitor.visitFieldInsn(PUTFIELD, name, s"a$n", captured(n).getDescriptor)
          local + captured(n).getSize
        }
        visitor.visitInsn(RETURN)
      }
      def create(visitor: MethodVisitor): Unit = {
        visitor.visitTypeInsn(NEW, name)
        visitor.visitInsn(DUP)
        load(visitor, captured, 0)(_ => ())
        visitor.visitMethodInsn(INVOKESPECIAL, name, "<init>", making, false)
      }
      if (one) code(ACC_STATIC, "<clinit>", "()V") { visitor =>
        create(visitor)
        visitor.visitFieldInsn(PUTSTATIC, name, "one", s"L$name;")
        visitor.visitInsn(RETURN)
      }
      code(ACC_STATIC, "make", factoryType) { visitor =>
        if (one) visitor.visitFieldInsn(GETSTATIC, name, "one", s"L$name;") else create(visitor)
        visitor.visitInsn(ARETURN)
      }
      for (form <- forms) code(ACC_PUBLIC | ACC_FINAL, method, form.getDescriptor) { visitor =>
        val wanted = Type.getArgumentTypes(target.getDesc)
        captured.indices.foreach { n =>
          visitor.visitVarInsn(ALOAD, 0)
          visitor.visitFieldInsn(GETFIELD, name, s"a$n", captured(n).getDescriptor)
        }
        load(visitor, form.getArgumentTypes, 1) { n =>
          val as = wanted(captured.length + n)
          if (isReference(as) && as != form.getArgumentTypes.apply(n))
            visitor.visitTypeInsn(CHECKCAST, as.getInternalName)
        }
        visitor.visitMethodInsn(
          INVOKESTATIC,
          target.getOwner,
          target.getName,
          target.getDesc,
          target.isInterface
        )
        val back = form.getReturnType
        if (
          isReference(
            back
          ) && Type.getReturnType(target.getDesc) != back && back.getInternalName != "java/lang/Object"
        )
          visitor.visitTypeInsn(CHECKCAST, back.getInternalName)
        visitor.visitInsn(back.getOpcode(IRETURN))
      }
      writer.visitEnd()
      writer.toByteArray
    }
  }
}
