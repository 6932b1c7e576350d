package needletail

/**
 * Event loops, connections and what they run on.
 *
 * Types that users name and that packages below define are re-exported here.
 */
package object io {
  type ConnectionOptions = platform.ConnectionOptions
  type ListenOptions     = platform.ListenOptions
  type PollerKind        = platform.PollerKind

  val ConnectionOptions: platform.ConnectionOptions.type = platform.ConnectionOptions
  val ListenOptions: platform.ListenOptions.type         = platform.ListenOptions
  val PollerKind: platform.PollerKind.type               = platform.PollerKind
}
