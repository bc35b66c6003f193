import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

@Suite struct FlushQueueTests {
    /// Notes its flushes, and may lead to others.
    private final class Connection: Flushable {
        let name: String
        let log: Log
        var next: (() -> Void)?

        init(_ name: String, _ log: Log) {
            (self.name, self.log) = (name, log)
        }

        func flushNow() {
            log.flushed.append(name)
            next?()
        }
    }

    private final class Log {
        var flushed: [String] = []
    }

    private let log = Log()

    @Test func nothingIsSentBeforeTheEventsAtHandAreHandled() {
        let loop = EmbeddedEventLoop()
        let queue = FlushQueue(loop: loop)
        for name in ["a", "b", "c"] { queue.add(Connection(name, log)) }
        #expect(log.flushed == [])
        loop.run()
        #expect(log.flushed == ["a", "b", "c"])
        loop.run()
        #expect(log.flushed.count == 3)
    }

    @Test func whatAFlushLeadsToIsSentToo() {
        let loop = EmbeddedEventLoop()
        let queue = FlushQueue(loop: loop)
        let first = Connection("first", log)
        first.next = { [log] in queue.add(Connection("second", log)) }
        queue.add(first)
        queue.add(Connection("beside", log))
        loop.run()
        #expect(log.flushed == ["first", "beside", "second"])
    }

    @Test func manyDoNotWaitForEachOther() {
        let loop = EmbeddedEventLoop()
        let queue = FlushQueue(loop: loop)
        for number in 0..<queue.limit { queue.add(Connection("\(number)", log)) }
        #expect(log.flushed.count == queue.limit)
        queue.add(Connection("next", log))
        loop.run()
        #expect(log.flushed.count == queue.limit + 1)
    }

    @Test func oneFlushIsNotWithinAnother() {
        let loop = EmbeddedEventLoop()
        let queue = FlushQueue(loop: loop)
        queue.limit = 1
        let first = Connection("first", log)
        first.next = { [log] in
            queue.add(Connection("second", log))
            queue.add(Connection("third", log))
            #expect(log.flushed == ["first"])
        }
        queue.add(first)
        #expect(log.flushed == ["first"])
        loop.run()
        #expect(log.flushed == ["first", "second", "third"])
    }

    @Test func withoutALoopEachIsSentAtOnce() {
        let queue = FlushQueue(loop: nil)
        queue.add(Connection("a", log))
        #expect(log.flushed == ["a"])
    }
}

@Suite struct ScratchBuffersTests {
    @Test func eachIsAnotherUntilAllWereGiven() {
        let scratch = ScratchBuffers(capacity: 64)
        let given = (0..<ScratchBuffers.count).map { _ in scratch.next() }
        #expect(Set(given).count == ScratchBuffers.count)
        #expect(scratch.next() == given[0])
    }

    @Test func thoseThatWereUsedLastAreUsedNext() {
        let scratch = ScratchBuffers(capacity: 64)
        let first = scratch.next()
        _ = scratch.next()
        scratch.reuse()
        #expect(scratch.next() == first)
    }

    @Test func whatOneHeldThatWasMuchIsNotKept() {
        let scratch = ScratchBuffers(capacity: 64)
        let first = scratch.next()
        first.pointee.writeRepeatingByte(1, count: 1 << 16)
        scratch.reuse()
        #expect(first.pointee.capacity < 256)
        for _ in 0..<ScratchBuffers.count { scratch.next().pointee.writeRepeatingByte(1, count: 1 << 16) }
        scratch.reuse()
        #expect((0..<ScratchBuffers.count).allSatisfy { _ in scratch.next().pointee.capacity < 256 })
    }

    @Test func whatAChannelStillHoldsIsNotWrittenOver() {
        let scratch = ScratchBuffers(capacity: 64)
        scratch.next().pointee.writeString("waiting")
        scratch.reuse()
        let place = scratch.next()
        let waiting = place.pointee
        place.pointee.reuse(for: 16)
        place.pointee.writeString("another")
        #expect(String(buffer: waiting) == "waiting")
    }
}
