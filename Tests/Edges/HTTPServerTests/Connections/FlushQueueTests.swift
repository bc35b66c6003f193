import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

@Suite struct FlushQueueTests {
    /// Records its flushes, and can cause others.
    private final class Connection: Flushable {
        let name: String
        let log: Log
        var next: (() -> Void)?

        init(_ name: String, _ log: Log) { (self.name, self.log) = (name, log) }

        func flushNow() {
            log.flushed.append(name)
            next?()
        }
    }

    private final class Log {
        var flushed: [String] = []
    }

    private let log = Log()
    private let loop = EmbeddedEventLoop()
    private let queue: FlushQueue

    init() { queue = FlushQueue(loop: loop) }

    @Test func `nothing is flushed before the current events are handled`() {
        for name in ["a", "b", "c"] { queue.add(Connection(name, log)) }
        #expect(log.flushed == [])
        loop.run()
        #expect(log.flushed == ["a", "b", "c"])
        loop.run()
        #expect(log.flushed.count == 3)
    }

    @Test func `connections that a flush adds are flushed too`() {
        let first = Connection("first", log)
        first.next = { [log, queue] in queue.add(Connection("second", log)) }
        queue.add(first)
        queue.add(Connection("beside", log))
        loop.run()
        #expect(log.flushed == ["first", "beside", "second"])
    }

    @Test func `a full queue is flushed immediately`() {
        for number in 0..<queue.limit { queue.add(Connection("\(number)", log)) }
        #expect(log.flushed.count == queue.limit)
        queue.add(Connection("next", log))
        loop.run()
        #expect(log.flushed.count == queue.limit + 1)
    }

    @Test func `flushes are not nested`() {
        queue.limit = 1
        let first = Connection("first", log)
        first.next = { [log, queue] in
            queue.add(Connection("second", log))
            queue.add(Connection("third", log))
            #expect(log.flushed == ["first"])
        }
        queue.add(first)
        #expect(log.flushed == ["first"])
        loop.run()
        #expect(log.flushed == ["first", "second", "third"])
    }

    @Test func `a queue without a loop flushes immediately`() {
        let queue = FlushQueue(loop: nil)
        queue.add(Connection("a", log))
        #expect(log.flushed == ["a"])
    }
}

@Suite struct ScratchBuffersTests {
    private let scratch = ScratchBuffers(capacity: 64)

    @Test func `every buffer is used before one is reused`() {
        let given = (0..<ScratchBuffers.count).map { _ in scratch.next() }
        #expect(Set(given).count == ScratchBuffers.count)
        #expect(scratch.next() == given[0])
    }

    @Test func `the buffers used last are used next`() {
        let first = scratch.next()
        _ = scratch.next()
        scratch.reuse()
        #expect(scratch.next() == first)
    }

    @Test func `a large buffer is not kept`() {
        let first = scratch.next()
        first.pointee.writeRepeatingByte(1, count: 1 << 16)
        scratch.reuse()
        #expect(first.pointee.capacity < 256)
        for _ in 0..<ScratchBuffers.count { scratch.next().pointee.writeRepeatingByte(1, count: 1 << 16) }
        scratch.reuse()
        #expect((0..<ScratchBuffers.count).allSatisfy { _ in scratch.next().pointee.capacity < 256 })
    }

    @Test func `a buffer that a channel holds is not overwritten`() {
        scratch.next().pointee.writeString("waiting")
        scratch.reuse()
        let place = scratch.next()
        let waiting = place.pointee
        place.pointee.reuse(for: 16)
        place.pointee.writeString("another")
        #expect(String(buffer: waiting) == "waiting")
    }
}

@Suite struct QueuedWritesTests {
    /// Returns the number of writes that must report when they are sent.
    private func write(_ count: Int, to queued: inout QueuedWrites) -> Int {
        (0..<count).count { _ in queued.record() }
    }

    @Test func `writes that are sent never fill the queue`() {
        var queued = QueuedWrites()
        var notices = 0
        for _ in 0..<10_000 where queued.record() && queued.stepSent() { notices += 1 }
        #expect(notices == 0)
        #expect(!queued.isFull)
    }

    @Test func `a queue above its limit reports when it accepts writes again`() {
        var queued = QueuedWrites()
        let notices = write(QueuedWrites.limit, to: &queued)
        #expect(notices == QueuedWrites.limit / QueuedWrites.step)
        #expect(!queued.isFull)
        _ = write(1, to: &queued)
        #expect(queued.isFull)
        let tells = [queued.stepSent(), queued.stepSent()]
        #expect(tells == [true, false])
        #expect(!queued.isFull)
    }
}

/// The buffers for heads.
@Suite struct ReusedBufferTests {
    @Test func `an unused buffer is reused unless it is too large`() {
        var scratch = ByteBufferAllocator().buffer(capacity: 4096)
        scratch.writeString("first")
        scratch.reuse(for: 1024)
        #expect(scratch.capacity == 4096 && scratch.readableBytes == 0)
        var large = ByteBufferAllocator().buffer(capacity: 65_536)
        large.reuse(for: 100)
        #expect(large.capacity <= 128)
    }

    @Test func `a buffer in use keeps its storage and the next is small`() {
        var scratch = ByteBufferAllocator().buffer(capacity: 4096)
        scratch.writeString("first")
        let waiting = scratch
        scratch.reuse(for: 100)
        scratch.writeString("other")
        #expect(String(buffer: waiting) == "first")
        #expect(scratch.capacity <= 128)
    }
}
