import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import Testing
import TextCoding

@testable import CoreFixtures
@testable import Forwarding

@Suite struct TrailerFilterTests {
    private func passed(_ lines: String, announced: String) throws -> String {
        try withRequest(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\(announced)\r\n"
        ) { request in
            let managed = HeaderHygiene(prefix: "X-Auth-", extra: ["X-Role"]).managed
            let filter = TrailerFilter(announcedIn: request.fields, of: request.bytes, managed: managed)
            var output = ByteBuffer()
            filter?.append(ByteBuffer(string: lines + "\r\n"), to: &output)
            return String(buffer: output)
        }
    }

    @Test(arguments: [
        ("X-A: 1\r\nX-B: 2\r\n", "Trailer: x-a\r\n", "X-A: 1\r\n"), ("X-A: 1\r\n", "", ""),
        ("X-A: 1\r\nX-B: 2\r\nX-D: 3\r\n", "Trailer: X-C ,\tX-A\r\nTrailer: X-B\r\n", "X-A: 1\r\nX-B: 2\r\n"),
        // Connection removes X-A.
        ("X-A: 1\r\nX-B: 2\r\n", "Trailer: X-A, X-B\r\nConnection: X-A\r\n", "X-B: 2\r\n"),
        // Only the first 32 names count.
        ("X-32: 1\r\nX-33: 2\r\n", "Trailer: \((1...33).map { "X-\($0)" }.joined(separator: ", "))\r\n", "X-32: 1\r\n"),
    ])
    func `only announced fields pass`(lines: String, announced: String, expected: String) throws {
        #expect(try passed(lines, announced: announced) == expected)
    }

    @Test(arguments: [
        "Content-Length", "Transfer-Encoding", "Host", "Authorization", "Cookie", "Set-Cookie", "Content-Type",
        "Connection", "X-Auth-Uid", "x_auth_uid", "X-Role", "X-Forwarded-For", "Forwarded", "X-Request-Id",
        "traceparent", "If-Match", "Cache-Control", "Expect", "TE", "Trailer", "Upgrade", "Range", "Age",
        "Sec-Fetch-Site", "Origin", "Proxy-Authorization",
    ])
    func `a dangerous field does not pass although announced`(name: String) throws {
        #expect(try passed("\(name): 1\r\n", announced: "Trailer: \(name)\r\n").isEmpty)
    }

    @Test func `a member that is no token is not announced`() throws {
        let announced = "Trailer: Forwarded;q, X-A, \"b\", c d\r\n"
        try withRequest(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\(announced)\r\n"
        ) { request in
            let filter = TrailerFilter(announcedIn: request.fields, of: request.bytes)
            let written = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { output in
                var writer = HeadWriter(from: request.bytes, into: output)
                filter?.announce(in: &writer)
                return String(decoding: output[..<(writer.finish() ?? 0)], as: UTF8.self)
            }
            #expect(written == "Trailer: X-A\r\n")
        }
    }

    @Test func `many announcements and trailers take linear time`() throws {
        let announced = "Trailer: " + Array(repeating: "a", count: 30_000).joined(separator: ",") + "\r\n"
        let lines = String(repeating: "b:\r\n", count: 2_000)
        let start = ContinuousClock.now
        #expect(try passed(lines, announced: announced).isEmpty)
        // Each with each took half a minute.
        #expect(ContinuousClock.now - start < .seconds(5))
    }

}

@Suite struct TraceContextTests {
    private static let id = "0af7651916cd43dd8448eb211c80319c"
    private static let valid = "00-\(id)-b7ad6b7169203331-01"

    private func rendered(_ fields: [String]) throws -> String? {
        let lines = fields.map { "\($0)\r\n" }.joined()
        return try withRequest("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n") { request in
            guard let context = TraceContext(of: request) else { return nil }
            return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { output in
                var writer = HeadWriter(from: request.bytes, into: output)
                context.write(request, &writer)
                let count = writer.finish() ?? 0
                return String(decoding: output[..<count], as: UTF8.self)
            }
        }
    }

    @Test(arguments: [
        valid, "00-\(id)-b7ad6b7169203331-00", "00-\(id)-b7ad6b7169203331-ff", "01-\(id)-b7ad6b7169203331-01",
        "cc-\(id)-b7ad6b7169203331-01-what-comes-later",
    ]) func `a valid parent passes unchanged`(value: String) throws {
        #expect(try rendered(["TraceParent: \(value)"]) == "traceparent: \(value)\r\n")
    }

    @Test(arguments: [
        "", "00", "00-evil", "ff-\(id)-b7ad6b7169203331-01", "00-\(id)-b7ad6b7169203331-01-x",
        "00-\(id.uppercased())-b7ad6b7169203331-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-\(id)-0000000000000000-01", "00-\(id)-b7ad6b7169203331-0", "00-\(id)-b7ad6b7169203331-0g",
        "00_\(id)-b7ad6b7169203331-01", "0x-\(id)-b7ad6b7169203331-01", "01-\(id)-b7ad6b7169203331-01x",
        "01-\(id)-b7ad6b7169203331-01-\(String(repeating: "x", count: 128))", "\(valid), \(valid)",
        "\(valid)\r\ntraceparent: \(valid)",
    ]) func `an invalid or repeated parent is ignored`(value: String) throws {
        #expect(try rendered(["traceparent: \(value)"]) == nil)
    }

    @Test func `the trace id is read`() throws {
        let bytes = Array(Self.valid.utf8)
        let trace = try #require(bytes.withUnsafeBytes { TraceContext.trace(in: $0) })
        #expect(HexDigits.text(of: trace) == Self.id)
    }

    @Test func `the state passes in its order`() throws {
        let text = try rendered(["traceparent: \(Self.valid)", "tracestate: a=1,b@c=2 3", "X: y", "tracestate: d/e=4"])
        #expect(text == "traceparent: \(Self.valid)\r\ntracestate: a=1,b@c=2 3\r\ntracestate: d/e=4\r\n")
    }

    @Test(arguments: [
        "", "a", "=1", "A=1", "a=", "a=é", "a=1=2", (0..<33).map { "k\($0)=1" }.joined(separator: ","),
        "a=\(String(repeating: "x", count: 257))",
        (0..<3).map { "k\($0)=\(String(repeating: "x", count: 200))" }
            .joined(separator: ","),
    ]) func `an invalid or oversized state is dropped`(value: String) throws {
        #expect(
            try rendered(["traceparent: \(Self.valid)", "tracestate: \(value)"]) == "traceparent: \(Self.valid)\r\n")
    }
}
