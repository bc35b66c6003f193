import GatewayCore
import HTTPWire
import Testing
import TextCoding

@testable import CoreFixtures
@testable import Forwarding
@testable import SystemFixtures

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

    @Test func `the trace, the parent and the flags are read`() throws {
        let parent = try #require(Array(Self.valid.utf8).withUnsafeBytes { TraceParent($0) })
        #expect(HexDigits.text(of: parent.trace) == Self.id)
        #expect(parent.span == 0xb7ad_6b71_6920_3331 && parent.flags == 1 && parent.isSampled)
        let unsampled = Array("00-\(Self.id)-b7ad6b7169203331-02".utf8)
        #expect(unsampled.withUnsafeBytes { TraceParent($0) }?.isSampled == false)
    }

    @Test func `a span of the gateway replaces the parent and keeps the state`() throws {
        let head = "GET / HTTP/1.1\r\nHost: a\r\ntraceparent: \(Self.valid)\r\ntracestate: a=1\r\n\r\n"
        let rendered = try ForwardedHead().render(head) { request in
            let context = TraceContext(of: request)
            return OutgoingHead.TraceIDs(
                request: (1, 2), trace: context?.parent.trace ?? (0, 0), span: 5, flags: 0xF3, continuing: context)
        }
        #expect(rendered.values("traceparent") == ["00-\(Self.id)-0000000000000005-03"])
        #expect(rendered.values("tracestate") == ["a=1"])
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
