package needletail.gateway.host

import java.io.File
import java.nio.file.{Files, Paths}

import scala.concurrent.duration._

import needletail.gateway.host.process.Spawner
import needletail.io.Address
import needletail.server.{RawClient, RunningServer}

/** FastCGI and SCGI servers that others have written. Each test is skipped, by name, where its program is missing. */
class OtherServersSuite extends Hosted {
  override def munitTimeout: Duration = 3.minutes // Go compiles its library the first time

  private def find(paths: String*): Option[String] =
    paths.flatMap { path =>
      if (path.endsWith("*")) {
        val pattern = new File(path.dropRight(1))
        Option(
          pattern.getParentFile.listFiles
        ).toList.flatten.map(_.getPath).filter(_.startsWith(path.dropRight(1))).sorted
      } else List(path)
    }.find(path => Files.isExecutable(Paths.get(path)))

  private def needing(program: Option[String], what: String)(name: String)(body: String => Any): Unit =
    program match {
      case Some(path) => test(name)(body(path))
      case None       => test(s"$name (SKIPPED: there is no $what)".ignore)(())
    }

  private val phpCgi = find("/usr/bin/php-cgi")
  private val phpFpm = find("/usr/sbin/php-fpm", "/usr/sbin/php-fpm*")
  private val go     = find("/usr/local/go/bin/go", "/usr/bin/go")
  private val python = find("/usr/bin/python3", "/usr/local/bin/python3")
  private val cc     = if (new File("/usr/include/fcgiapp.h").exists)
    find("/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang")
  else None

  private def run(command: String*): Unit = {
    val out     = directory.resolve("command.log").toFile
    val process = new ProcessBuilder(command*).redirectErrorStream(true).redirectOutput(out)
    process.environment().put("GOFLAGS", "-mod=mod")
    assertEquals(process.start().waitFor(), 0, command.mkString(" ") + "\n" + contents(out.getPath))
  }

  private val site = UpstreamConfig(
    root = Some(s"$directory/site"),
    extension = ".php",
    index = "index.php",
    connectTimeout = 5.seconds,
    host = hostConfig
  )

  private def phpSite(): Unit = {
    write("site/index.php", "<?php echo 'index ', $_SERVER['QUERY_STRING'];", executable = false)
    write("site/upload/picture.jpg", "<?php echo 'executed';", executable = false)
    write(
      "site/info.php",
      "<?php header('X-Script: '.$_SERVER['SCRIPT_NAME']); http_response_code(202); echo $_SERVER['REQUEST_METHOD'], ' ', " +
        "$_SERVER['PATH_INFO'] ?? '-', ' ', strlen(file_get_contents('php://input')), ' ', $_POST['a'] ?? '-', ' ', " +
        "isset($_SERVER['HTTP_PROXY']) ? 'poxy' : 'safe';",
      executable = false
    )
    write("site/slow.php", "<?php sleep(60); echo 'late';", executable = false)
    write("site/dies.php", "<?php posix_kill(posix_getpid(), 9);", executable = false)
    write(
      "site/flood.php",
      "<?php for ($i = 0; $i < 3000; $i++) echo str_repeat('f', 1000);",
      executable = false
    )
    write("site/error.php", "<?php error_log('php says so'); echo 'logged';", executable = false)
    ()
  }

  private def php(server: RunningServer): Unit = {
    assertEquals(get(server, "/?q=1").body, "index q=1", log.text)
    assertEquals(get(server, "/index.php").body, "index ")
    val info = post(
      server,
      "/info.php/a%20b/c",
      "a=b&c=" + "d" * 100000,
      "Content-Type: application/x-www-form-urlencoded",
      "Proxy: evil"
    )
    assertEquals(
      (info.status, info.header("X-Script"), info.body),
      (202, Some("/info.php"), "POST /a b/c 100006 b safe")
    )
    val flood = get(server, "/flood.php")
    assertEquals(flood.body.length, 3000000)
    assertEquals(get(server, "/error.php").body, "logged")
    eventually(log.text.contains("php says so"), log.text)
    // what is no script is none of PHP's business, above all not by the rest of its path
    for (path <- List("/none.php", "/upload/picture.jpg", "/upload/picture.jpg/x.php", "/index.php%00.jpg"))
      assert(Set(400, 404)(get(server, path).status), path)
  }

  needing(phpCgi, "php-cgi")("php-cgi: processes of ours, one of which dies, and one that is stuck") { path =>
    phpSite()
    leavingNothing {
      val workers = Workers(
        WorkersConfig(List(path, "-b", "{socket}"), count = 2, restartDelay = 20.millis, log = log)
      )
      try
        serving(fastcgi("/", workers, site)) { server =>
          php(server)
          assertEquals(get(server, "/slow.php").status, 504)
          for (_ <- 1 to 4) assertEquals(get(server, "/?q=2").body, "index q=2", log.text)
          eventually(workers.pids.length == 2)
          val before = workers.pids
          before.foreach(pid => run("/bin/sh", "-c", s"kill -9 $pid; true"))
          eventually(workers.pids.length == 2 && workers.pids.intersect(before).isEmpty)
          // the connections that were kept are of no use now
          for (_ <- 1 to 4) assertEquals(get(server, "/?q=3").body, "index q=3", log.text)
        }
      finally workers.close()
    }
  }

  needing(phpCgi, "php-cgi")("php-cgi: processes that end after so many requests are not missed") { path =>
    phpSite()
    val workers = Workers(
      WorkersConfig(
        List(path, "-b", "{socket}"),
        count = 2,
        environment = Map("PHP_FCGI_MAX_REQUESTS" -> "20"),
        log = log
      )
    )
    try
      serving(fastcgi("/", workers, site)) { server =>
        for (i <- 1 to 200) assertEquals(get(server, s"/?$i").body, s"index $i", log.text)
        assert(workers.restarts >= 8, workers.restarts)
        assert(!log.text.contains("has ended with status 0"), log.text)
      }
    finally workers.close()
  }

  needing(phpFpm, "php-fpm")("php-fpm: at an address") { path =>
    phpSite()
    val socket = s"$directory/fpm.sock"
    val user   = if (System.getProperty("user.name") == "root") "user = root\ngroup = root\n" else ""
    write(
      "fpm.conf",
      s"[global]\nerror_log = $directory/fpm.log\ndaemonize = no\n[www]\nlisten = $socket\n$user" +
        "pm = static\npm.max_children = 3\ncatch_workers_output = yes\n",
      executable = false
    )
    val fpm = new ProcessBuilder(path, "-F", "-R", "-y", s"$directory/fpm.conf")
      .redirectErrorStream(true)
      .redirectOutput(directory.resolve("fpm.out").toFile)
      .start()
    try {
      eventually(new File(socket).exists)
      serving(fastcgi("/", Address.Unix(socket), site.copy(connections = 3))) { server =>
        php(server)
        val right   = new java.util.concurrent.atomic.AtomicInteger
        val threads = List.tabulate(8) { i =>
          val thread = new Thread(() =>
            for (k <- 1 to 10)
              if (get(server, s"/?$i-$k").body == s"index $i-$k") { right.incrementAndGet(); () }
          )
          thread.start()
          thread
        }
        threads.foreach(_.join())
        assertEquals(right.get, 80, log.text)
      }
    } finally {
      fpm.destroy()
      fpm.waitFor()
      ()
    }
  }

  needing(go, "Go")("Go's net/http/fcgi: many requests on one connection") { path =>
    write(
      "go/main.go",
      """package main
        |import ("fmt"; "io"; "net"; "net/http"; "net/http/fcgi"; "os"; "time")
        |func main() {
        |  l, err := net.Listen("unix", os.Args[1])
        |  if err != nil { panic(err) }
        |  http.HandleFunc("/go/echo", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Length", fmt.Sprint(r.ContentLength)); io.Copy(w, r.Body) })
        |  http.HandleFunc("/go/slow", func(w http.ResponseWriter, r *http.Request) { time.Sleep(300 * time.Millisecond); fmt.Fprint(w, "slow") })
        |  http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method, " ", r.URL.Path, " ", r.RemoteAddr) })
        |  panic(fcgi.Serve(l, nil))
        |}
        |""".stripMargin,
      executable = false
    )
    run(path, "build", "-o", s"$directory/gofcgi", s"$directory/go/main.go")
    val workers = Workers(WorkersConfig(List(s"$directory/gofcgi", "{socket}"), count = 1, log = log))
    try
      serving(fastcgi("/go", workers, UpstreamConfig(connections = 2, multiplex = 16, host = hostConfig))) {
        server =>
          val plain = get(server, "/go/a%20b")
          assert(plain.body.startsWith("GET /go/a b 127.0.0.1"), plain.raw + log.text)
          val text = "0123456789" * 30000
          val echo = post(server, "/go/echo", text)
          assertEquals((echo.header("X-Length"), echo.body.length), (Some("300000"), 300000))
          val began   = System.nanoTime()
          val threads = List.fill(12) {
            val thread = new Thread(() => { get(server, "/go/slow"); () })
            thread.start()
            thread
          }
          threads.foreach(_.join())
          assert((System.nanoTime() - began).nanos < 20.seconds, "they were side by side")
      }
    finally workers.close()
  }

  needing(cc, "C compiler with libfcgi")("libfcgi: connections kept, and its own way to be started") { path =>
    write(
      "lib.c",
      """#include <fcgiapp.h>
        |#include <stdlib.h>
        |int main(int argc, char **argv) {
        |  FCGX_Request r;
        |  int served = 0, n, total;
        |  char piece[4096];
        |  FCGX_Init();
        |  FCGX_InitRequest(&r, argc > 1 ? FCGX_OpenSocket(argv[1], 10) : 0, 0);
        |  while (FCGX_Accept_r(&r) == 0) {
        |    char *skip = FCGX_GetParam("QUERY_STRING", r.envp);
        |    total = 0;
        |    if (!skip || !*skip) while ((n = FCGX_GetStr(piece, sizeof piece, r.in)) > 0) total += n;
        |    FCGX_FPrintF(r.out, "Content-Type: text/plain\r\n\r\n%d %d %s", ++served, total, FCGX_GetParam("PATH_INFO", r.envp));
        |    FCGX_Finish_r(&r);
        |  }
        |}
        |""".stripMargin,
      executable = false
    )
    run(path, "-o", s"$directory/libfcgi", s"$directory/lib.c", "-lfcgi")
    val commands = List(List("{socket}")) ++ (if (Spawner.handsOverSockets) List(Nil) else Nil)
    for (arguments <- commands) {
      val workers = Workers(WorkersConfig(s"$directory/libfcgi" :: arguments, count = 1, log = log))
      try
        serving(fastcgi("/c", workers, UpstreamConfig(host = hostConfig))) { server =>
          assertEquals(get(server, "/c/x").body, "1 0 /x", log.text)
          assertEquals(post(server, "/c/y", "x" * 1000000).body, "2 1000000 /y")
          // it does not read its content, and the next request must not suffer for it
          assertEquals(post(server, "/c/z?skip", "x" * 1000000).body, "3 0 /z")
          assertEquals(post(server, "/c/y", "abc").body, "4 3 /y", log.text)
        }
      finally workers.close()
    }
  }

  needing(python, "Python")("SCGI: a server of a few lines") { path =>
    write(
      "scgi.py",
      s"""#!$path
         |import socketserver, sys
         |class H(socketserver.StreamRequestHandler):
         |  def handle(self):
         |    n = b''
         |    while not n.endswith(b':'): n += self.rfile.read(1)
         |    v = self.rfile.read(int(n[:-1])).split(b'\\0')
         |    assert self.rfile.read(1) == b',' and v[0] == b'CONTENT_LENGTH'
         |    d = dict(zip(v[::2], v[1::2]))
         |    b = self.rfile.read(int(d[b'CONTENT_LENGTH']))
         |    self.wfile.write(b'Status: 203\\nContent-Type: text/plain\\n\\n%s %d %s' % (d[b'REQUEST_METHOD'], len(b), d[b'PATH_INFO']))
         |class S(socketserver.ThreadingMixIn, socketserver.UnixStreamServer): pass
         |S(sys.argv[1], H).serve_forever()
         |""".stripMargin
    )
    val workers = Workers(WorkersConfig(List(s"$directory/scgi.py", "{socket}"), count = 1, log = log))
    try
      serving(scgi(
        "/py",
        workers,
        UpstreamConfig(connections = 8, connectTimeout = 5.seconds, host = hostConfig)
      )) { server =>
        val answer = post(server, "/py/x", "12345")
        assertEquals((answer.status, answer.body), (203, "POST 5 /x"), answer.raw + log.text)
        val client =
          new RawClient(server.port).send("GET /py/y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assertEquals(Answer(client.readAll()).body, "GET 0 /y")
        client.close()
      }
    finally workers.close()
  }
}
