import NIOCore

/// A connection with written data to flush.
package protocol Flushable: AnyObject {
    /// Flushes written data to the kernel.
    func flushNow()
}

/// The connections of one loop whose writes are flushed together, after the pending events are handled.
///
/// Under load a loop receives the events of many connections at once. Handling them all before flushing wakes a peer
/// once for many messages and improves cache locality. The writes of a single event are not delayed.
package final class FlushQueue {
    /// The maximum number of waiting connections, so that early writes are sent soon under any load.
    var limit = 64

    private let loop: (any EventLoop)?
    // All accesses are on the event loop and in this class. No call from within an access changes the same property.
    @exclusivity(unchecked) private var waiting: [any Flushable] = []
    /// The connections of the running flush. Its storage is reused.
    @exclusivity(unchecked) private var ready: [any Flushable] = []
    @exclusivity(unchecked) private var isFlushing = false
    /// The buffers for request heads and for response heads.
    package let requests = ScratchBuffers(capacity: 4096)
    package let responses = ScratchBuffers(capacity: 1024)

    /// Creates a queue. The loop is `nil` in tests, to flush immediately.
    init(loop: (any EventLoop)?) {
        self.loop = loop
    }

    func add(_ connection: any Flushable) {
        guard let loop else {
            connection.flushNow()
            return sent()
        }
        waiting.append(connection)
        // Flushing may end a connection and cause further writes. These are queued, whatever their number.
        if waiting.count >= limit, !isFlushing { return flush() }
        guard waiting.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.execute { bound.value.flush() }
    }

    private func flush() {
        isFlushing = true
        defer { isFlushing = false }
        // Writes caused by flushing are queued for the next flush.
        swap(&waiting, &ready)
        for connection in ready { connection.flushNow() }
        ready.removeAll(keepingCapacity: true)
        sent()
    }

    private func sent() {
        requests.reuse()
        responses.reuse()
    }
}
