import Foundation
import GatewayCore
import Logging
import Synchronization
import Testing

@testable import Observability

struct ProcessLogTests {
    @Test func `a logger does not wait for a reader that reads nothing`() async throws {
        let pipe = UnreadPipe()
        let log = ProcessLog(descriptor: pipe.descriptor)
        var logger = log.logger(level: .debug)
        logger[metadataKey: "filler"] = "\(String(repeating: "x", count: 1000))"
        for _ in 0..<2000 { logger.debug("flood") }
        let dropped = log.counts.dropped
        #expect(dropped > 1000)
        #expect(await log.close(within: .milliseconds(50)) == false)
        // The thread is still in its call: read until it has written all.
        var text = ""
        while reported(in: text) < dropped { text += pipe.readSome() }
        #expect(reported(in: text) == dropped)
    }

    /// The sum of the lines that the log itself reports as dropped.
    private func reported(in text: String) -> UInt64 {
        text.matches(of: /dropped=([0-9]+) \[Gatehouse\] lines were dropped/).reduce(0) { $0 + (UInt64($1.1) ?? 0) }
    }

    @Test func `audit lines have a part of the queue of their own`() async throws {
        let pipe = UnreadPipe()
        let log = ProcessLog(descriptor: pipe.descriptor)
        let logger = log.logger(level: .debug)
        let filler: Logger.Metadata = ["filler": "\(String(repeating: "x", count: 1000))"]
        for _ in 0..<2000 { logger.debug("flood", metadata: filler) }
        let dropped = log.counts.dropped
        for number in 0..<300 { logger.forAudit.notice("account", metadata: ["number": "\(number)"]) }
        #expect(log.counts.dropped == dropped)
        var text = ""
        while !text.contains("number=299 [ObservabilityTests] account\n") { text += pipe.readSome() }
        #expect(text.components(separatedBy: "] account\n").count == 301)
        await log.close()
    }

    @Test func `a repeated warning is suppressed and counted`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let log = ProcessLog(descriptor: try LogDescriptor.open(path: file))
        let logger = log.logger(level: .info)
        for _ in 0..<1000 { logger.warning("the same") }
        logger.warning("another")
        for _ in 0..<200 { logger.forAudit.notice("account") }
        #expect(log.counts.suppressed == 900)
        #expect(await log.close())
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.components(separatedBy: "] the same\n").count == 101)
        #expect(text.components(separatedBy: "] another\n").count == 2)
        #expect(text.components(separatedBy: "] account\n").count == 201)
        #expect(
            text.contains(
                "level=warning message=\"the same\" suppressed=900 [Gatehouse] repeated messages were suppressed\n"))
    }

    @Test func `no text forges a line or a field`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let log = ProcessLog(
            descriptor: try LogDescriptor.open(path: file),
            clock: GatewayClock(now: { 1_795_228_800 }, monotonic: { 0 }, milliseconds: { 1_795_228_800_042 }))
        let hostile = "ada\n2026 notice gatehouse: uid=root event=link [Gatehouse] account\u{1B}[2J\u{202E}"
        log.logger(level: .info).forAudit.notice("account", metadata: ["uid": "\(hostile)", "event": "link"])
        log.logger(level: .info).notice("\(hostile)")
        #expect(await log.close())
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let written = #"2026 notice gatehouse: uid=root event=link [Gatehouse] account\u001b[2J\u202e"#
        #expect(
            text == """
                2026-11-21T02:40:00.042Z notice gatehouse: event=link uid="ada\\n\(written)" [ObservabilityTests] account
                2026-11-21T02:40:00.042Z notice gatehouse: [ObservabilityTests] ada\\u000a\(written)

                """)
    }

    @Test func `a value of any length is cut`() {
        let line = LogLine.text(
            milliseconds: 0, level: .info, label: "l", metadata: ["k": "\(String(repeating: "x", count: 100_000))"],
            source: "S", message: "m")
        #expect(line.utf8.count < LogLine.longestValue + 100)
        #expect(line.hasSuffix("x... [S] m\n"))
    }
}
