import Dispatch
import GatewayCore
import Testing

@testable import Observability

struct AccessLogBufferTests {
    let counters = WorkerCounters(routes: 0, upstreams: 0)
    let slot = AccessLogSlot(wake: DispatchSemaphore(value: 0))
    let buffer: AccessLogBuffer

    init() {
        buffer = AccessLogBuffer(slot: slot, counters: counters)
    }

    private func entry(_ path: String = "/") -> AccessLogEntry {
        var entry = AccessLogEntry(time: 0, requestID: (0, 0), code: .ok)
        entry.path = .string(path)
        return entry
    }

    @Test func `lines are passed to the writer at the next tick`() {
        buffer.record(entry())
        buffer.record(entry())
        #expect(slot.isEmpty)
        buffer.flush()
        #expect(slot.take()?.lines == 2)
        #expect(slot.isEmpty)
    }

    @Test func `a full batch is passed to the writer without a tick`() {
        for _ in 0..<64 { buffer.record(entry(String(repeating: "a", count: 2000))) }
        #expect(!slot.isEmpty)
    }

    @Test func `the lines that a slow writer drops are counted`() {
        let total = 1000
        for _ in 0..<total { buffer.record(entry(String(repeating: "a", count: 2000))) }
        let batches = [slot.take(), buffer.takeBatch()].compactMap { $0 }
        let dropped = Int(counters.snapshot()[.accessLogDropped])
        #expect(dropped > 0)
        #expect(batches.reduce(0) { $0 + $1.lines } + dropped == total)
        #expect(
            batches.allSatisfy { $0.bytes.count <= AccessLogBuffer.capacity && $0.bytes.last == UInt8(ascii: "\n") })
    }

    @Test func `a batch waits until the writer accepts the previous one`() {
        buffer.record(entry("/first"))
        buffer.flush()
        buffer.record(entry("/second"))
        buffer.flush()
        #expect(slot.take().map { String(decoding: $0.bytes, as: UTF8.self).contains("/first") } == true)
        #expect(buffer.takeBatch()?.lines == 1)
        #expect(buffer.takeBatch() == nil)
    }
}
