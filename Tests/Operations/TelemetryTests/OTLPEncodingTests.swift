import GatewayCore
import JOSE
import Observability
import Testing

@testable import Telemetry

@Suite struct OTLPEncodingTests {
    private static let origin = OTLPOrigin(
        service: "edge", version: "1.2.3", instance: "i-1",
        configured: [(name: "deployment.environment.name", value: "test")])

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func document(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDocument(bytes, limits: JSONLimits(size: 8 << 20, depth: 32, members: 1 << 20)).root
    }

    private static let resource =
        #""resource":{"attributes":[{"key":"service.name","value":{"stringValue":"edge"}},"#
        + #"{"key":"service.version","value":{"stringValue":"1.2.3"}},"#
        + #"{"key":"service.instance.id","value":{"stringValue":"i-1"}},"#
        + #"{"key":"deployment.environment.name","value":{"stringValue":"test"}}]}"#
    private static let scope = #""scope":{"name":"gatehouse","version":"1.2.3"}"#

    // MARK: - Traces

    @Test func `a span has hexadecimal IDs, numbers as strings and enumerations as numbers`() {
        let span = Span(
            trace: (0x0af7_6519_16cd_43dd, 0x8448_eb21_1c80_319c), id: 0xb7ad_6b71_6920_3331, parent: 0x1f,
            flags: 0x301, kind: .client, name: "GET \"a\"\n", start: 1_700_000_000_123_456_789,
            end: 1_700_000_000_223_456_789,
            attributes: [SpanAttribute("url.path", "/é"), SpanAttribute("http.response.status_code", 502)],
            isError: true)
        let (body, count) = OTLPTraces.body(of: [span], from: Self.origin)
        let expected =
            #"{"resourceSpans":[{"# + Self.resource + #","scopeSpans":[{"# + Self.scope + #","spans":["#
            + #"{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","#
            + #""parentSpanId":"000000000000001f","flags":769,"name":"GET \"a\"\n","kind":3,"#
            + #""startTimeUnixNano":"1700000000123456789","endTimeUnixNano":"1700000000223456789","#
            + #""attributes":[{"key":"url.path","value":{"stringValue":"/é"}},"#
            + #"{"key":"http.response.status_code","value":{"intValue":"502"}}],"status":{"code":2}}]}]}]}"#
        #expect(text(body) == expected)
        #expect(count == 1)
    }

    @Test func `a span without a parent and without an error has neither member`() throws {
        let (body, _) = OTLPTraces.body(of: [testSpan(1)], from: Self.origin)
        let span = try document(body)["resourceSpans"]?.elements.first { _ in true }?["scopeSpans"]?.elements
            .first { _ in true }?["spans"]?.elements.first { _ in true }
        #expect(span?["spanId"]?.string == "0000000000000001")
        #expect(span?["parentSpanId"] == nil && span?["status"] == nil)
    }

    @Test func `a body ends with the span that fills it`() throws {
        let spans = (1...50).map { testSpan($0, attributes: [SpanAttribute("a", String(repeating: "x", count: 900))]) }
        let (body, count) = OTLPTraces.body(of: spans, from: Self.origin, fullSize: 5_000)
        #expect(body.count < 7_000 && (3...6).contains(count))
        _ = try document(body)
        #expect(OTLPTraces.body(of: spans, from: Self.origin, fullSize: 0).count == 1)
    }

    @Test func `configured attributes replace those of the gateway`() {
        let origin = OTLPOrigin(
            service: "edge", version: "1", instance: "i",
            configured: [(name: "service.instance.id", value: "pod-7"), (name: "k", value: "v")])
        #expect(origin.attributes.map(\.name) == ["service.name", "service.version", "service.instance.id", "k"])
        #expect(origin.attributes[2].value == "pod-7")
    }

    // MARK: - Metrics

    private func metrics(_ family: MetricFamily, fullSize: Int = OTLPMetrics.fullSize) throws -> [JSONValue] {
        let bodies = OTLPMetrics.bodies(
            of: MetricsSnapshot(families: [family]), from: Self.origin, start: 5, time: 9, fullSize: fullSize)
        return try bodies.map { try document($0.bytes) }.compactMap { root in
            root["resourceMetrics"]?.elements.first { _ in true }?["scopeMetrics"]?.elements.first { _ in true }?[
                "metrics"]?.elements.first { _ in true }
        }
    }

    @Test func `a counter is a cumulative monotonic sum`() throws {
        let family = MetricFamily(
            "gatehouse_sent_bytes_total", help: "Bytes.", .counters([MetricSample([("route", "/a\"b")], 7)]))
        let bodies = OTLPMetrics.bodies(of: MetricsSnapshot(families: [family]), from: Self.origin, start: 5, time: 9)
        let expected =
            #"{"resourceMetrics":[{"# + Self.resource + #","scopeMetrics":[{"# + Self.scope + #","metrics":["#
            + #"{"name":"gatehouse_sent_bytes_total","description":"Bytes.","unit":"By","sum":{"dataPoints":["#
            + #"{"attributes":[{"key":"route","value":{"stringValue":"/a\"b"}}],"startTimeUnixNano":"5","#
            + #""timeUnixNano":"9","asInt":"7"}],"aggregationTemporality":2,"isMonotonic":true}}]}]}]}"#
        #expect(bodies.map { text($0.bytes) } == [expected] && bodies.map(\.points) == [1])
    }

    @Test func `a gauge without a finite value has no data point`() throws {
        let values = [Double.infinity, 1.5, .nan, -.infinity]
        let family = MetricFamily("gatehouse_age_seconds", help: "Age.", .gauges(values.map { MetricSample([], $0) }))
        let metric = try #require(try metrics(family).first)
        #expect(metric["unit"]?.string == "s")
        #expect(metric["gauge"]?["dataPoints"]?.elements.compactMap { $0["asDouble"]?.double } == [1.5])
        let unknown = MetricFamily("a", help: "", .gauges([MetricSample([], .infinity)]))
        #expect(try metrics(unknown).isEmpty)
    }

    @Test func `a histogram has one more bucket than bounds, in seconds`() throws {
        var buckets = [UInt64](repeating: 0, count: LatencyBuckets.count)
        (buckets[0], buckets[LatencyBuckets.count - 1]) = (3, 2)
        let histogram = LatencyHistogram(buckets: buckets, sumNanoseconds: 1_500_000_000)
        let family = MetricFamily("a_seconds", help: "", .histograms([MetricSample([], histogram)]))
        let metric = try #require(try metrics(family).first?["histogram"])
        let point = try #require(metric["dataPoints"]?.elements.first { _ in true })
        #expect(point["count"]?.string == "5" && point["sum"]?.double == 1.5)
        let counts = point["bucketCounts"]?.elements.compactMap(\.string) ?? []
        let bounds = point["explicitBounds"]?.elements.compactMap(\.double) ?? []
        #expect(counts.count == bounds.count + 1 && counts.first == "3" && counts.last == "2")
        #expect(bounds.first == 0.000001 && bounds == bounds.sorted())
        #expect(metric["aggregationTemporality"]?.integer == 2)
    }

    @Test func `a large family is divided into several bodies`() throws {
        let samples = (0..<100).map { MetricSample([("route", "/\($0)")], UInt64($0)) }
        let parts = try metrics(MetricFamily("a_total", help: "", .counters(samples)), fullSize: 2_000)
        #expect(parts.count > 3)
        let values = parts.flatMap { part in
            part["sum"]?["dataPoints"]?.elements.compactMap { $0["asInt"]?.string } ?? []
        }
        #expect(values == (0..<100).map { "\($0)" })
        #expect(parts.allSatisfy { $0["sum"]?["isMonotonic"]?.bool == true })
    }

    @Test func `no metrics make no body`() {
        #expect(OTLPMetrics.bodies(of: MetricsSnapshot(), from: Self.origin, start: 5, time: 9).isEmpty)
    }
}
