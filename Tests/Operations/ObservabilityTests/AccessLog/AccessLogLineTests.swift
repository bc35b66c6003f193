import Foundation
import GatewayCore
import Testing

@testable import Observability

struct AccessLogLineTests {
    private func line(_ entry: AccessLogEntry) -> String {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 1)
        defer { memory.deallocate() }
        let start = memory.baseAddress!
        var writer = LogLineWriter(next: start, end: start + memory.count)
        var timestamp = LogTimestamp()
        AccessLogLine.write(entry, timestamp: &timestamp, to: &writer)
        return String(decoding: UnsafeRawBufferPointer(start: start, count: writer.next - start), as: UTF8.self)
    }

    private func entry(path: AccessLogEntry.Text = .string("/")) -> AccessLogEntry {
        var entry = AccessLogEntry(time: 1_709_208_000_042, requestID: (1, .max), code: .ok)
        entry.path = path
        return entry
    }

    private func path(_ path: AccessLogEntry.Text) throws -> String {
        let line = line(entry(path: path))
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?["path"] as? String)
    }

    @Test func `a complete line is one JSON object`() {
        var entry = entry(path: .literal("/v1/users/ann"))
        entry.client = .string("192.0.2.1")
        entry.method = .literal("GET")
        entry.status = 200
        entry.uid = .array(Array("ann".utf8))
        entry.route = .string("/v1/users/{uid}")
        entry.upstream = .string("api")
        entry.durationMicroseconds = 1234
        entry.upstreamMicroseconds = 0
        entry.bytesOut = .max
        #expect(
            line(entry) == #"{"time":"2024-02-29T12:00:00.042Z","level":"info","msg":"request","#
                + #""request_id":"0000000000000001ffffffffffffffff","#
                + #""client":"192.0.2.1","method":"GET","path":"/v1/users/ann","status":200,"code":"ok","uid":"ann","#
                + #""route":"/v1/users/{uid}","upstream":"api","duration_us":1234,"upstream_us":0,"bytes_in":0,"#
                + #""bytes_out":18446744073709551615}"# + "\n")
    }

    @Test func `the project and the tenant follow the uid`() {
        var entry = entry()
        entry.uid = .string("ann")
        entry.tenant = .string("acme-x1")
        #expect(line(entry).contains(#""uid":"ann","tenant":"acme-x1","route""#))
        entry.project = .string("my-app")
        #expect(line(entry).contains(#""uid":"ann","project":"my-app","tenant":"acme-x1","route""#))
    }

    @Test func `the optional phase, reason and rule are written`() {
        var entry = entry()
        entry.reason = .string("aud is not an accepted audience")
        #expect(line(entry).contains(#""upstream":null,"reason":"aud is not an accepted audience","duration_us""#))
        entry.phase = .crossSite
        #expect(
            line(entry).contains(
                #""upstream":null,"phase":"cross_site","reason":"aud is not an accepted audience","duration_us""#))
        entry.rule = .string("config/api.rules:12")
        #expect(
            line(entry).contains(
                #""reason":"aud is not an accepted audience","rule":"config/api.rules:12","duration_us""#))
    }

    @Test func `the reason of App Check is apart from that of a denial`() {
        var entry = entry()
        entry.appCheck = .invalid
        entry.appCheckReason = .string("App Check: expired")
        entry.reason = .string("the condition is false")
        #expect(line(entry).contains(#""app_check":"invalid","app_check_reason":"App Check: expired","route""#))
        #expect(line(entry).contains(#","reason":"the condition is false","duration_us""#))
    }

    @Test func `missing values are null`() {
        let line = line(AccessLogEntry(time: 0, requestID: (0, 0), code: .clientClosed))
        #expect(line.contains(#""status":null,"code":"client/closed","uid":null,"route":null,"upstream":null"#))
        #expect(line.contains(#""upstream_us":null"#))
    }

    @Test(arguments: [
        ("/a\"b\\c", #"/a\"b\\c"#), ("/\r\n{\"x\":1}", #"/\u000d\u000a{\"x\":1}"#), ("/\u{1b}[31m", #"/\u001b[31m"#),
        ("/\u{7f}\u{9b}1m\u{85}", #"/\u007f\u009b1m\u0085"#), ("/é€😀", "/é€😀"), ("/\0", #"/\u0000"#),
        ("/\u{202E}gpj\u{2069}\u{61C}", #"/\u202egpj\u2069\u061c"#), ("/\u{2028}\u{2029}", #"/\u2028\u2029"#),
        ("/\u{200F}\u{FEFF}\u{E0001}", #"/\u200f\ufeff\udb40\udc01"#),
    ])
    func `characters that affect a line or a terminal are escaped`(path: String, written: String) {
        #expect(line(entry(path: .string(path))).contains("\"path\":\"\(written)\","))
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0x80], [0xE2, 0x82],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are replaced`(bytes: [UInt8]) throws {
        let logged = try path(.array(Array("/".utf8) + bytes + Array("z".utf8)))
        #expect(logged == "/" + String(repeating: "\u{FFFD}", count: bytes.count) + "z")
    }

    @Test func `every ASCII character round-trips in every position`() throws {
        for byte in UInt8.min...0x7F where byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#") {
            for position in 0..<17 {
                var text = Array(repeating: UInt8(ascii: "a"), count: 17)
                text[position] = byte
                #expect(try path(.array(text)) == String(decoding: text, as: UTF8.self))
                let line = line(entry(path: .array(text)))
                #expect(line.utf8.dropLast().allSatisfy { (0x20..<0x7F).contains($0) })
            }
        }
    }

    @Test func `every pair of bytes gives a valid line`() throws {
        for first in UInt8.min...UInt8.max {
            var bytes: [UInt8] = []
            for second in UInt8.min...UInt8.max where second != 0x3F && second != 0x23 { bytes += [first, second] }
            if first == 0x3F || first == 0x23 { continue }
            #expect(try path(.array(bytes)).isEmpty == false)
        }
    }

    @Test(arguments: ["/a?token=secret", "/a#secret", "/a?"]) func `a query is never written`(path: String) throws {
        #expect(try self.path(.string(path)) == "/a")
    }

    @Test func `a long path is truncated between characters`() throws {
        #expect(try path(.string(String(repeating: "a", count: 5000))).utf8.count == 2048)
        #expect(try path(.string(String(repeating: "€", count: 1000))) == String(repeating: "€", count: 682))
    }

    @Test func `the time follows the clock in both directions`() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 1)
        defer { memory.deallocate() }
        var timestamp = LogTimestamp()
        var texts: [String] = []
        for time in [Int64(999), 1000, 1001, 999] {
            var writer = LogLineWriter(next: memory.baseAddress!, end: memory.baseAddress! + memory.count)
            timestamp.write(milliseconds: time, to: &writer)
            texts.append(String(decoding: memory[..<24], as: UTF8.self))
        }
        #expect(
            texts == [
                "1970-01-01T00:00:00.999Z", "1970-01-01T00:00:01.000Z", "1970-01-01T00:00:01.001Z",
                "1970-01-01T00:00:00.999Z",
            ])
    }
}
