package needletail.io

import java.io.IOException
import java.nio.file.{Files, Path}

import needletail.io.platform.ListenOptions
import needletail.io.system.SystemPlatform
import needletail.testing.TemporaryDirectories

class UnixSocketSuite extends LoopSuite with TemporaryDirectories {

  private def withDirectory[A](body: Path => A): A = body(temporaryDirectory())

  private def exists(path: String): Boolean = new java.io.File(path).exists()

  private def echoes(loop: EventLoop, path: String): Unit = {
    val events = new Events
    val client = connect(loop, Address.Unix(path)) { c =>
      events.add(c.remoteAddress)
      new Recorder(events)
    }
    events.expect(path)
    on(loop)(client.write("hello".getBytes, 0, 5))
    events.expect("data hello")
    on(loop)(client.shutdownOutput())
    events.expect("end")
    on(loop)(client.close())
    events.expect("closed")
  }

  test("served like any other, under its path; the peer has no name") {
    withDirectory { directory =>
      withLoop { loop =>
        val path     = directory.resolve("s").toString
        val names    = new Events
        val listener = listen(loop, Address.Unix(path)) { c =>
          names.add(c.localAddress)
          names.add(c.remoteAddress)
          new Echo(c)
        }
        assertEquals(listener.address, Address.Unix(path): Address)
        assertEquals(listener.localAddress, path)
        echoes(loop, path)
        names.expect(path, "")
      }
    }
  }

  test("the file goes when the listener closes") {
    withDirectory { directory =>
      val path = directory.resolve("s").toString
      withLoop { loop =>
        val listener = listen(loop, Address.Unix(path))(new Echo(_))
        assert(exists(path))
        listener.close()
        on(loop)(())
        assert(!exists(path))
        listen(loop, Address.Unix(path))(new Echo(_))
      }
      assert(!exists(path), "the loop's end closes its listeners too")
    }
  }

  test("a file that a killed server left behind is replaced, if no process listens on it") {
    withDirectory { directory =>
      withLoop { loop =>
        val path  = directory.resolve("s").toString
        val stale = SystemPlatform.listenUnix(path, ListenOptions())
        stale.close() // as the kernel does for a killed process: the file stays
        assert(exists(path))
        val kept = intercept[IOException] {
          Listener.bind(Address.Unix(path), loop, ListenOptions(unlinkStaleUnixSocket = false), _.close())
        }
        assert(kept.getMessage.contains(path), kept.getMessage)
        listen(loop, Address.Unix(path))(new Echo(_))
        echoes(loop, path)
      }
    }
  }

  test("a socket that a process listens on is left alone") {
    withDirectory { directory =>
      withLoop { loop =>
        val path = directory.resolve("s").toString
        listen(loop, Address.Unix(path))(new Echo(_))
        val e = intercept[IOException](listen(loop, Address.Unix(path))(new Echo(_)))
        assert(e.getMessage.contains(s"cannot listen on $path: "), e.getMessage)
        echoes(loop, path)
      }
    }
  }

  test("a file that is no socket is never removed") {
    withDirectory { directory =>
      withLoop { loop =>
        val path = directory.resolve("precious").toString
        Files.write(directory.resolve("precious"), "text".getBytes)
        intercept[IOException](listen(loop, Address.Unix(path))(new Echo(_)))
        assert(exists(path))
      }
    }
  }

  test("a path that is too long is refused, and one where nothing listens cannot be connected to") {
    withDirectory { directory =>
      withLoop { loop =>
        val long = directory.resolve("x" * 200).toString
        val e    = intercept[IOException](listen(loop, Address.Unix(long))(new Echo(_)))
        assert(e.getMessage.startsWith(s"cannot listen on $long: "), e.getMessage)
        val missing = directory.resolve("missing").toString
        val f       = intercept[IOException](connect(loop, Address.Unix(missing))(new Echo(_)))
        assert(f.getMessage.startsWith(s"cannot connect to $missing: "), f.getMessage)
      }
    }
  }
}
