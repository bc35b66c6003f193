import NIOCore
import Testing

@testable import HTTPServer

@Suite struct QueuedWritesTests {
    /// - Returns: how many of the writes were to tell when they are sent.
    private func write(_ count: Int, to queued: inout QueuedWrites) -> Int {
        (0..<count).count { _ in queued.note() }
    }

    @Test func writesThatAreSentNeverFillIt() {
        var queued = QueuedWrites()
        var told = 0
        for _ in 0..<10_000 where queued.note() && queued.stepSent() { told += 1 }
        #expect(told == 0)
        #expect(!queued.isFull)
    }

    @Test func itIsFullBeyondItsLimitAndTellsWhenItTakesWritesAgain() {
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

/// The buffers that heads are written to again and again.
@Suite struct ReusedBufferTests {
    @Test func whatNobodyHoldsIsUsedAgain() {
        var scratch = ByteBufferAllocator().buffer(capacity: 4096)
        scratch.writeString("first")
        scratch.reuse(for: 1024)
        #expect(scratch.capacity == 4096)
        #expect(scratch.readableBytes == 0)
    }

    @Test func whatStillWaitsToBeSentKeepsItsStorageAndTheNextIsSmall() {
        var scratch = ByteBufferAllocator().buffer(capacity: 4096)
        scratch.writeString("first")
        let waiting = scratch
        scratch.reuse(for: 100)
        scratch.writeString("other")
        #expect(String(buffer: waiting) == "first")
        #expect(scratch.capacity <= 128)
    }

    @Test func aLargeOneIsNotKeptForSmallHeads() {
        var scratch = ByteBufferAllocator().buffer(capacity: 65_536)
        scratch.reuse(for: 100)
        #expect(scratch.capacity <= 128)
    }
}
