import GatewayCore
import HTTPWire
import NIOCore
import Testing

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

    @Test func onlyAnnouncedFieldsPass() throws {
        #expect(try passed("X-A: 1\r\nX-B: 2\r\n", announced: "Trailer: x-a\r\n") == "X-A: 1\r\n")
    }

    @Test func severalAnnouncementsCount() throws {
        let announced = "Trailer: X-C ,\tX-A\r\nTrailer: X-B\r\n"
        #expect(try passed("X-A: 1\r\nX-B: 2\r\nX-D: 3\r\n", announced: announced) == "X-A: 1\r\nX-B: 2\r\n")
    }

    @Test func nothingPassesUnannounced() throws {
        #expect(try passed("X-A: 1\r\n", announced: "").isEmpty)
    }

    @Test(arguments: [
        "Content-Length", "Transfer-Encoding", "Host", "Authorization", "Cookie", "Set-Cookie", "Content-Type",
        "Connection",
        "X-Auth-Uid", "x_auth_uid", "X-Role", "X-Forwarded-For", "Forwarded", "X-Request-Id", "traceparent", "If-Match",
        "Cache-Control", "Expect", "TE", "Trailer", "Upgrade", "Range", "Age", "Sec-Fetch-Site", "Origin",
        "Proxy-Authorization",
    ])
    func whatMayDoHarmDoesNotPassThoughAnnounced(name: String) throws {
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

    @Test func onlyTheFirst32AnnouncedNamesCount() throws {
        let announced = "Trailer: " + (1...33).map { "X-\($0)" }.joined(separator: ", ") + "\r\n"
        #expect(try passed("X-32: 1\r\nX-33: 2\r\n", announced: announced) == "X-32: 1\r\n")
    }

    @Test func manyAnnouncementsAndTrailersCostNoMoreThanTheirBytes() throws {
        let announced = "Trailer: " + Array(repeating: "a", count: 30_000).joined(separator: ",") + "\r\n"
        let lines = String(repeating: "b:\r\n", count: 2_000)
        let start = ContinuousClock.now
        #expect(try passed(lines, announced: announced).isEmpty)
        // Each with each took half a minute.
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func whatConnectionNamesDoesNotPass() throws {
        let announced = "Trailer: X-A, X-B\r\nConnection: X-A\r\n"
        #expect(try passed("X-A: 1\r\nX-B: 2\r\n", announced: announced) == "X-B: 2\r\n")
    }
}
