/// The approximate number of pending writes in a channel.
///
/// The channel's own limit counts bytes. Each write has a memory overhead, so that many writes of one byte cost far
/// more than one large write.
package struct QueuedWrites {
    /// The number of writes per completion notice.
    static let step = 64
    /// The maximum number of pending writes before no more are accepted.
    static let limit = 256

    private var written = 0
    private var sent = 0

    package init() {}

    var isFull: Bool { written &- sent > Self.limit }

    /// Records a write.
    ///
    /// - Returns: Whether to call ``stepSent()`` when this write completes.
    package mutating func record() -> Bool {
        written &+= 1
        return written % Self.step == 0
    }

    /// Records the completion of a step.
    ///
    /// - Returns: Whether writes are accepted again that were not before.
    package mutating func stepSent() -> Bool {
        let wasFull = isFull
        sent &+= Self.step
        return wasFull && !isFull
    }
}
