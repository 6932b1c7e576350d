package needletail.examples.memcached

import needletail.testing.Suite

class ItemsSuite extends Suite {
  import Command._

  private var millis                          = 1700000000000L
  private def make(max: Long = 100000)        = new Items(max, 1000, () => millis)
  private def text(items: Items, key: String) = items.get(key).map(item => new String(item.value))
  private def store(
      how: How,
      key: String,
      value: String,
      flags: Long = 0,
      expiry: Long = 0,
      unique: Long = 0
  ) =
    Store(how, key, flags, expiry, value.getBytes, unique, isQuiet = false)

  test("set, add, replace, append, prepend") {
    val items = make()
    assertEquals(items.store(store(Replace, "a", "x")), Reply.NotStored)
    assertEquals(items.store(store(Append, "a", "x")), Reply.NotStored)
    assertEquals(items.store(store(Prepend, "a", "x")), Reply.NotStored)
    assertEquals(items.store(store(AddNew, "a", "1", flags = 7)), Reply.Stored)
    assertEquals(items.store(store(AddNew, "a", "2")), Reply.NotStored)
    assertEquals(items.store(store(Append, "a", "2", flags = 8)), Reply.Stored)
    assertEquals(items.store(store(Prepend, "a", "0", flags = 9)), Reply.Stored)
    assertEquals((text(items, "a"), items.get("a").map(_.flags)), (Some("012"), Some(7L)))
    assertEquals(items.store(store(Replace, "a", "3")), Reply.Stored)
    assertEquals(items.store(store(Set, "a", "4")), Reply.Stored)
    assertEquals(text(items, "a"), Some("4"))
    assertEquals(items.store(store(Append, "a", "x" * 1000)), Reply.TooLarge)
    assertEquals(text(items, "a"), Some("4"))
  }

  test("compare and swap: each change has another number") {
    val items = make()
    assertEquals(items.store(store(CompareAndSwap, "a", "x", unique = 1)), Reply.NotFound)
    items.store(store(Set, "a", "1"))
    val first = items.get("a").get.unique
    assertEquals(items.store(store(CompareAndSwap, "a", "2", unique = first)), Reply.Stored)
    assertEquals(items.store(store(CompareAndSwap, "a", "3", unique = first)), Reply.Exists)
    val second = items.get("a").get.unique
    items.add(Add("a", 1, up = true, isQuiet = false))
    assertEquals(items.store(store(CompareAndSwap, "a", "4", unique = second)), Reply.Exists)
    assertEquals(text(items, "a"), Some("3"))
  }

  test("numbers: unsigned, wrapping upwards, stopping at 0, never shorter") {
    val items              = make()
    def add(by: Long)      = items.add(Add("n", by, up = true, isQuiet = false))
    def subtract(by: Long) = items.add(Add("n", by, up = false, isQuiet = false))
    assertEquals(add(1), Reply.NotFound)
    items.store(store(Set, "n", "99", flags = 5))
    assertEquals(add(1), Reply.Line("100"))
    assertEquals((subtract(1), text(items, "n")), (Reply.Line("99"), Some("99 ")))
    assertEquals(add(2), Reply.Line("101"))
    assertEquals(subtract(200), Reply.Line("0"))
    assertEquals(items.get("n").map(_.flags), Some(5L))
    items.store(store(Set, "n", "18446744073709551615"))
    assertEquals(add(2), Reply.Line("1"))
    for (no <- Seq("", "x", "1x", "-1", " 1", "18446744073709551616", "1" * 30)) {
      items.store(store(Set, "n", no))
      assertEquals(add(1), Reply.NotANumber, no)
    }
  }

  test("expiry: never, at once, in seconds up to a month, at a time; touch") {
    val items                                       = make()
    def lives(expiry: Long)(seconds: Long): Boolean = {
      val begun = millis
      items.store(store(Set, "a", "x", expiry = expiry))
      millis += seconds * 1000
      val is = items.get("a").isDefined
      millis = begun
      is
    }
    assert(lives(0)(1000000000L))
    assert(!lives(-1)(0))
    assert(lives(10)(9) && !lives(10)(10))
    assert(lives(30 * 24 * 3600)(30 * 24 * 3600 - 1) && !lives(30 * 24 * 3600)(30 * 24 * 3600))
    assert(lives(millis / 1000 + 5)(4) && !lives(millis / 1000 + 5)(5))
    assert(!lives(30 * 24 * 3600 + 1)(0), "in 1970")
    items.store(store(Set, "a", "x", expiry = 10))
    assertEquals(items.touch(Touch("a", 100, isQuiet = false)), Reply.Touched)
    millis += 50000
    assertEquals(text(items, "a"), Some("x"))
    millis += 50000
    assertEquals(items.touch(Touch("a", 100, isQuiet = false)), Reply.NotFound)
    assertEquals((items.count, items.bytes), (0, 0L))
  }

  test("memory is bounded: what was not used for longest goes first") {
    val size  = Items.sizeOf("k10", Item(0, 0, new Array(100), 0))
    val items = make(10 * size)
    for (i <- 10 to 19) items.store(store(Set, s"k$i", "x" * 100))
    assertEquals((items.count, items.bytes, items.evicted), (10, 10 * size, 0L))
    items.get("k10") // used again
    items.store(store(Set, "k20", "x" * 100))
    assertEquals((items.count, items.evicted), (10, 1L))
    assertEquals((text(items, "k11"), items.get("k10").isDefined), (None, true))
    items.store(store(Set, "k20", "x" * 1000))
    assert(items.bytes <= 10 * size && items.get("k20").isDefined, items.bytes)
    items.clear()
    assertEquals((items.count, items.bytes), (0, 0L))
  }

  test("what is held is what is there, after any commands") {
    val random = new java.util.Random(1)
    val items  = make(5000)
    for (i <- 1 to 20000) {
      val key = s"k${random.nextInt(30)}"
      random.nextInt(7) match {
        case 0 => items.store(store(Append, key, "x" * random.nextInt(100)))
        case 1 => items.delete(key)
        case 2 => items.add(Add(key, 1, up = true, isQuiet = false))
        case 3 => items.touch(Touch(key, random.nextInt(3).toLong - 1, isQuiet = false))
        case 4 => millis += 100
        case _ => items.store(store(
            Set,
            key,
            if (random.nextBoolean()) "1" else "x" * random.nextInt(300),
            expiry = random.nextInt(3).toLong
          ))
      }
      assert(items.bytes >= 0 && items.bytes <= 5000, s"$i: ${items.bytes}")
    }
    for (i <- 0 to 30) items.delete(s"k$i")
    assertEquals((items.count, items.bytes), (0, 0L))
  }
}
