import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import Testing

@testable import CoreFixtures
@testable import Forwarding
@testable import SystemFixtures

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
        // Only the first 32 names are evaluated.
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

    @Test func `a member that is not a token is not announced`() throws {
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
        var isEmpty = false
        let time = try processorTime { isEmpty = try passed(lines, announced: announced).isEmpty }
        #expect(isEmpty)
        // A comparison of all pairs took half a minute.
        #expect(time < .seconds(5))
    }

}
