import Testing

@testable import Telemetry

/// A span for tests, recognisable by its ID.
func testSpan(_ id: UInt64, name: String = "GET /a", attributes: [SpanAttribute] = []) -> Span {
    Span(
        trace: (1, 2), id: id, parent: 0, flags: 0x101, kind: .server, name: name, start: 1_000, end: 2_000,
        attributes: attributes, isError: false)
}

@Suite struct SpanQueueTests {
    private let queue = SpanQueue()

    private func spans(_ ids: Range<UInt64>) -> [Span] { ids.map { testSpan($0) } }

    @Test func `spans leave in their order`() {
        queue.setLimit(10)
        #expect(queue.offer(spans(1..<4)))
        queue.add(spans(4..<6))
        #expect(queue.take(atMost: 2).map(\.id) == [1, 2])
        #expect(queue.take(atMost: 9).map(\.id) == [3, 4, 5] && queue.count == 0)
    }

    @Test func `a full queue drops and counts further spans`() {
        queue.setLimit(3)
        queue.add(spans(1..<3))
        queue.add(spans(3..<7))
        #expect(queue.count == 3 && queue.dropped == 3)
        #expect(queue.take(atMost: 9).map(\.id) == [1, 2, 3])
    }

    @Test func `a queue without a receiver accepts nothing`() {
        queue.add(spans(1..<3))
        #expect(queue.count == 0 && queue.dropped == 2)
    }

    @Test func `spans that were put back are the next ones, within the limit`() {
        queue.setLimit(3)
        queue.add(spans(1..<4))
        let taken = queue.take(atMost: 2)
        queue.add(spans(4..<5))
        queue.putBack(taken)
        #expect(queue.dropped == 1)
        #expect(queue.take(atMost: 9).map(\.id) == [1, 3, 4])
    }

    @Test func `a lower limit drops the latest spans`() {
        queue.setLimit(5)
        queue.add(spans(1..<6))
        queue.setLimit(2)
        #expect(queue.dropped == 3 && queue.take(atMost: 9).map(\.id) == [1, 2])
    }

    @Test func `a buffer passes on its spans at the tick, and many at once`() {
        queue.setLimit(1_000)
        let buffer = SpanBuffer(queue)
        buffer.append(spans(1..<3))
        #expect(queue.count == 0)
        buffer.flush()
        #expect(queue.count == 2)
        buffer.append(spans(0..<200))
        #expect(queue.count == 202)
        buffer.append(spans(1..<3))
        buffer.close()
        #expect(queue.count == 204 && queue.dropped == 0)
    }

    @Test func `a buffer is bounded`() {
        queue.setLimit(10_000)
        let buffer = SpanBuffer(queue)
        buffer.append(spans(0..<2_000))
        #expect(queue.count == SpanBuffer.limit && queue.dropped == 2_000 - UInt64(SpanBuffer.limit))
    }
}
