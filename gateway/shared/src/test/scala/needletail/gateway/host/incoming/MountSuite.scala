package needletail.gateway.host.incoming

import needletail.http.Request
import needletail.testing.Suite

class MountSuite extends Suite {

  test("a path is below a mount as routes see it: segment by segment, decoded") {
    def isAbove(mount: String, path: String) = new Mount(mount).isAbove(Request.get(path))
    for (path <- List("/app", "/app/", "/app/x", "/%61pp/x"))
      assert(isAbove("/app", path), path)
    for (path <- List("/", "/ap", "/apps/x", "/x/app", "//app/x", "/app%2fx", "/app/%2e%2e/x"))
      assert(!isAbove("/app", path), path)
    assert(isAbove("/caf\u00e9/a b/", "/caf%C3%A9/a%20b/x"))
    assert(isAbove("/caf\u00e9/a b/", "/caf%c3%a9/a%20b"))
    for (path <- List("/caf%C3%A9", "/caf%C3%A9/a", "/caf%E9/a%20b", "/caf%25C3%25A9/a%20b"))
      assert(!isAbove("/caf\u00e9/a b", path), path)
    for (path <- List("/", "/x", "//")) assert(isAbove("/", path), path)
  }

  test(
    "an empty segment within a path is not found, as rules that routes make of paths do not see it as they do others"
  ) {
    def below(mount: String, path: String) = new Mount(mount).below(Request.get(path))
    for (path <- List("/app//x", "/app//", "/app/x//y", "/app/x//"))
      assertEquals(below("/app", path), Left(Mount.notFound), path)
    for (path <- List("//", "//x", "/x//y")) assertEquals(below("/", path), Left(Mount.notFound), path)
    assertEquals(below("/app", "/app"), Right(Nil))
    assertEquals(below("/app", "/app/"), Right(List("")))
    assertEquals(below("/app", "/app/x/"), Right(List("x", "")))
    assertEquals(below("/", "/"), Right(List("")))
  }
}
