/// How many writes wait in a channel, give or take a step.
///
/// The channel's own bound counts bytes. A write costs memory besides its bytes, so that many of one byte each cost far more
/// than one of many.
package struct QueuedWrites {
    /// Every so many writes, one tells when it was sent.
    static let step = 64
    /// The most that wait before no more are taken.
    static let limit = 256

    private var written = 0
    private var sent = 0

    package init() {}

    var isFull: Bool { written &- sent > Self.limit }

    /// Notes a write.
    ///
    /// - Returns: whether ``stepSent()`` is to be called when this one was sent.
    package mutating func note() -> Bool {
        written &+= 1
        return written % Self.step == 0
    }

    /// - Returns: whether writes are taken again that were not before.
    package mutating func stepSent() -> Bool {
        let wasFull = isFull
        sent &+= Self.step
        return wasFull && !isFull
    }
}
