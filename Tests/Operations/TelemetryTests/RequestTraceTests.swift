import Testing

@testable import Telemetry

@Suite struct RequestTraceTests {
    private func trace(parent: RequestTrace.Parent? = nil) -> RequestTrace {
        RequestTrace(
            (1, 2), id: 10, parent: parent, start: 100, offset: 1_000,
            attributes: [SpanAttribute("url.path", "/a")])
    }

    private func end(at time: UInt64 = 500) -> RequestTrace.End {
        RequestTrace.End(name: "GET /a", time: time, attributes: [], isError: false)
    }

    @Test func `the children of a request have the server span as their parent`() {
        let trace = trace()
        trace.beginChild("lookup key_set", .internal, id: 11, at: 110)
        trace.endChild(at: 120)
        trace.beginChild("GET", .client, id: 12, at: 130)
        trace.endChild(at: 400, error: "502")
        let spans = trace.finish(end())
        #expect(spans.map(\.id) == [11, 12, 10] && spans.map(\.parent) == [10, 10, 0])
        #expect(spans.map(\.start) == [1_110, 1_130, 1_100] && spans.map(\.end) == [1_120, 1_400, 1_500])
        #expect(spans.map(\.kind) == [.internal, .client, .server])
        #expect(spans.map(\.isError) == [false, true, false])
        #expect(spans[1].attributes == [SpanAttribute("error.type", "502")])
        #expect(spans.allSatisfy { $0.trace == (1, 2) && $0.flags == 0x101 })
    }

    @Test func `a remote parent is the parent of the server span`() {
        let trace = trace(parent: .init(span: 7, flags: 0xFF))
        let span = trace.finish(end())[0]
        #expect(span.parent == 7 && span.flags == 0x303 && trace.flags == 3)
    }

    @Test func `a child that did not end ends with the request`() {
        let trace = trace()
        trace.beginChild("a", .internal, id: 11, at: 110)
        trace.beginChild("b", .internal, id: 12, at: 120)
        let spans = trace.finish(end())
        #expect(spans.map(\.end) == [1_120, 1_500, 1_500])
    }

    @Test func `the number of children is bounded`() {
        let trace = trace()
        for id in 0..<100 as Range<UInt64> {
            trace.beginChild("a", .internal, id: 20 + id, at: 110)
            trace.endChild(at: 110)
        }
        #expect(trace.finish(end()).count == RequestTrace.maximumChildren + 1)
    }

    @Test func `a clock that moves back yields no negative duration`() {
        let trace = trace()
        trace.beginChild("a", .internal, id: 11, at: 110)
        trace.endChild(at: 90)
        let spans = trace.finish(end(at: 50))
        #expect(spans.allSatisfy { $0.end == $0.start })
    }

    @Test(arguments: ["x", "é", "😀"]) func `a long text is truncated between characters`(character: String) {
        let attribute = SpanAttribute("a", String(repeating: character, count: 2_000))
        guard case .text(let text) = attribute.value else {
            Issue.record("the attribute is not a string")
            return
        }
        #expect(text.utf8.count <= 1_024 && text.utf8.count > 1_020)
        #expect(text.allSatisfy { String($0) == character })
    }
}
