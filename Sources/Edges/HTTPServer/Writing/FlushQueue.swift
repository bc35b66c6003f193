import NIOCore

/// Something that was written to and is to be flushed.
package protocol Flushable: AnyObject {
    /// Hands what was written to the kernel.
    func flushNow()
}

/// Connections of one loop whose writes go to the kernel together, once the events at hand are handled.
///
/// Under load a loop takes the events of many connections at a time. Reading them all before anything is sent wakes a peer once for many of
/// its messages, not once for each, and keeps each part of the way in the processor's caches; a single event's writes wait for nothing.
package final class FlushQueue {
    /// The most that wait for each other: however many events are at hand, what was written early is sent before long.
    var limit = 64

    private let loop: (any EventLoop)?
    private var waiting: [any Flushable] = []
    private var isFlushing = false
    /// What heads of requests, and of answers, are written into.
    package let requests = ScratchBuffers(capacity: 4096)
    package let answers = ScratchBuffers(capacity: 1024)

    /// - Parameter loop: nil: everything is flushed at once, as tests of one connection like it.
    init(loop: (any EventLoop)?) {
        self.loop = loop
    }

    func add(_ connection: any Flushable) {
        guard let loop else {
            connection.flushNow()
            return sent()
        }
        waiting.append(connection)
        // Flushing may end a connection, and what follows may be written and come here: that waits, however much it is.
        if waiting.count >= limit, !isFlushing { return flush() }
        guard waiting.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.execute { bound.value.flush() }
    }

    private func flush() {
        isFlushing = true
        defer { isFlushing = false }
        // What flushing leads to may be written, and waits for the next time.
        let ready = waiting
        waiting = []
        waiting.reserveCapacity(ready.count)
        for connection in ready { connection.flushNow() }
        sent()
    }

    private func sent() {
        requests.reuse()
        answers.reuse()
    }
}
