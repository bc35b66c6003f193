import Foundation
import GatewayCore
import Logging
import Synchronization
import Testing

@testable import Observability
@testable import SystemFixtures

struct ProcessLogTests {
    @Test func `a logger does not wait for an unread pipe`() async throws {
        let pipe = UnreadPipe()
        let log = ProcessLog(descriptor: pipe.descriptor)
        var logger = log.logger(level: .debug)
        logger[metadataKey: "filler"] = "\(String(repeating: "x", count: 1000))"
        for _ in 0..<2000 { logger.debug("flood") }
        let dropped = log.counts.dropped
        #expect(dropped > 1000)
        #expect(await log.close(within: .milliseconds(50)) == false)
        // The thread is still in its call, so read until it has written all lines.
        var text = ""
        while reported(in: text) < dropped { text += pipe.readSome() }
        #expect(reported(in: text) == dropped)
    }

    /// The sum of the dropped lines that the log reports.
    private func reported(in text: String) -> UInt64 {
        text.matches(of: /msg="lines were dropped: [a-z ]+" dropped=([0-9]+)/).reduce(0) { $0 + (UInt64($1.1) ?? 0) }
    }

    @Test func `audit lines have a reserved part of the queue`() async throws {
        let pipe = UnreadPipe()
        let log = ProcessLog(descriptor: pipe.descriptor)
        let logger = log.logger(level: .debug)
        let filler: Logger.Metadata = ["filler": "\(String(repeating: "x", count: 1000))"]
        for _ in 0..<2000 { logger.debug("flood", metadata: filler) }
        let dropped = log.counts.dropped
        for number in 0..<300 { logger.forAudit.notice("account", metadata: ["number": "\(number)"]) }
        #expect(log.counts.dropped == dropped)
        var text = ""
        while !text.contains("number=299 module=ObservabilityTests\n") { text += pipe.readSome() }
        #expect(text.components(separatedBy: " msg=account ").count == 301)
        await log.close(within: .hangLimit)
    }

    @Test func `a repeated warning is suppressed and counted`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let log = ProcessLog(
            descriptor: try LogDescriptor.open(path: file), clock: GatewayClock(now: { 0 }, monotonic: { 0 }))
        let logger = log.logger(level: .info)
        for _ in 0..<1000 { logger.warning("the same") }
        logger.warning("another")
        for _ in 0..<200 { logger.forAudit.notice("account") }
        #expect(log.counts.suppressed == 900)
        #expect(await log.close(within: .hangLimit))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.components(separatedBy: " msg=\"the same\" ").count == 101)
        #expect(text.components(separatedBy: " msg=another ").count == 2)
        #expect(text.components(separatedBy: " msg=account ").count == 201)
        let notice = #"msg="repeated messages were suppressed" of_level=warning of_msg="the same" suppressed=900"#
        #expect(text.contains(notice + " module=Gatehouse\n"))
    }

    /// The lines that `write` logs, in a format, at a fixed time.
    private func lines(_ format: LogFormat, _ write: (ProcessLog) -> Void) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let log = ProcessLog(
            descriptor: try LogDescriptor.open(path: file), format: format,
            clock: GatewayClock(now: { 1_795_228_800 }, monotonic: { 0 }, milliseconds: { 1_795_228_800_042 }))
        write(log)
        #expect(await log.close(within: .hangLimit))
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    private static let hostile = "ada\n2026 level=notice msg=account uid=\"root\" event=link\u{1B}[2J\u{202E}"

    @Test func `no text forges a line or a field of logfmt`() async throws {
        let text = try await lines(.text) { log in
            let logger = log.logger(level: .info)
            logger.forAudit.notice("account", metadata: ["uid": "\(Self.hostile)", "event": "link", "none": ""])
            logger.notice("\(Self.hostile)")
        }
        let quoted = #""ada\n2026 level=notice msg=account uid=\"root\" event=link\u001b[2J\u202e""#
        let start = "time=2026-11-21T02:40:00.042Z level=notice msg="
        #expect(
            text == """
                \(start)account event=link none="" uid=\(quoted) module=ObservabilityTests
                \(start)\(quoted) module=ObservabilityTests

                """)
    }

    @Test func `json is one object of strings for each line`() async throws {
        let text = try await lines(.json) { log in
            log.logger(level: .info).warning("a message", metadata: ["uid": "\(Self.hostile)", "failures": "3"])
            Logger(label: "library", factory: log.handler).notice("other")
        }
        let objects = try text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])
        }
        let time = "2026-11-21T02:40:00.042Z"
        #expect(
            objects == [
                [
                    "time": time, "level": "warning", "msg": "a message", "uid": Self.hostile, "failures": "3",
                    "module": "ObservabilityTests",
                ],
                ["time": time, "level": "notice", "msg": "other", "logger": "library", "module": "ObservabilityTests"],
            ])
        #expect(text.hasPrefix(#"{"time":"\#(time)","level":"warning","msg":"a message","failures":"3","uid":"#))
    }

    @Test func `metadata does not replace a member of the line`() {
        let line = LogLine(milliseconds: 0, level: .info, message: "m", metadata: ["msg": "other", "time": "now"])
        #expect(
            line.text(as: .json)
                == #"{"time":"1970-01-01T00:00:00.000Z","level":"info","msg":"m","msg_":"other","time_":"now","#
                + #""module":"Gatehouse"}"# + "\n")
    }

    @Test func `the error that ends the program is a message of json`() async throws {
        #expect(try await lines(.text) { $0.write("a: b\nc\u{1B}") } == "a: b\nc\\u001b\n")
        let text = try await lines(.json) { $0.write("a: b\nc\u{1B}") }
        let start = #"{"time":"2026-11-21T02:40:00.042Z","level":"critical","msg":""#
        #expect(
            text == start + #"a: b","module":"Gatehouse"}"# + "\n" + start + #"c\u001b","module":"Gatehouse"}"# + "\n")
    }

    @Test func `a long value is truncated`() {
        let line = LogLine(
            milliseconds: 0, level: .info, message: "m", metadata: ["k": "\(String(repeating: "x", count: 100_000))"]
        ).text(as: .text)
        #expect(line.utf8.count < LogLine.longestValue + 100)
        #expect(line.hasSuffix("x... module=Gatehouse\n"))
    }
}
