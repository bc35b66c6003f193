import Dispatch
import Foundation
import GatewayCore
import Testing

@testable import Observability
@testable import SystemFixtures

struct AccessLogWriterTests {
    private func temporaryFile() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("access-\(UUID().uuidString).log").path
    }

    private func record(_ path: String, in buffer: AccessLogBuffer) {
        var entry = AccessLogEntry(time: 0, requestID: (0, 0), code: .ok)
        entry.path = .string(path)
        buffer.record(entry)
    }

    @Test func `all lines are written before the writer closes`() async throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try AccessLogWriter(target: .file(path: path), workers: 2)
        let buffers = writer.slots.map {
            AccessLogBuffer(slot: $0, counters: WorkerCounters(routes: 0, upstreams: 0))
        }
        record("/one", in: buffers[0])
        buffers[0].flush()
        record("/two", in: buffers[1])
        await writer.close(remainders: buffers.compactMap { $0.takeBatch() }, within: .hangLimit)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.contains { $0.contains("/one") } && lines.contains { $0.contains("/two") })
        #expect(writer.lostLines == 0)
    }

    @Test func `lines are appended to a file`() async throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "before\n".write(toFile: path, atomically: true, encoding: .utf8)
        let writer = try AccessLogWriter(target: .file(path: path), workers: 1)
        await writer.close(remainders: [LogBatch(bytes: Array("after\n".utf8), lines: 1)], within: .hangLimit)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "before\nafter\n")
    }

    @Test func `an unusable path is an error with the reason`() {
        let error = #expect(throws: AccessLogError.self) {
            try AccessLogWriter(target: .file(path: "/nowhere/at/all.log"), workers: 1)
        }
        #expect(error?.description.contains("/nowhere/at/all.log: No such file or directory; ") == true)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `lines that cannot be written are counted`() async throws {
        let writer = try AccessLogWriter(target: .file(path: "/dev/full"), workers: 0)
        await writer.close(remainders: [LogBatch(bytes: Array("a\nb\n".utf8), lines: 2)], within: .hangLimit)
        #expect(writer.lostLines == 2)
    }

    @Test func `closing does not wait for an unread pipe`() async throws {
        let pipe = UnreadPipe()
        let wake = DispatchSemaphore(value: 0)
        let slot = AccessLogSlot(wake: wake)
        slot.put(LogBatch(bytes: Array(repeating: UInt8(ascii: "\n"), count: 100_000), lines: 100_000))
        let writer = LogWriter(descriptor: pipe.descriptor, sources: [slot], wake: wake)
        #expect(await writer.close(within: .milliseconds(50)) == false)
        // Allows the thread to end.
        #expect(try pipe.readToEnd().utf8.count == 100_000)
    }
}
