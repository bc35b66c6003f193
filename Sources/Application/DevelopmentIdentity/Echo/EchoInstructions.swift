/// What a request asks the echo server to do, by its query and by its field `X-Echo`, which has the same form.
///
/// | name | value |
/// | --- | --- |
/// | `status` | the status code, 200 to 599 |
/// | `delay` | milliseconds before the answer |
/// | `hold` | a name: the answer waits until `release` is called with it |
/// | `bytes` | a body of so many bytes of `BodyPattern` instead of JSON |
/// | `chunked` | `1`: the body is chunked, and a trailer field follows |
/// | `close` | `1`: closes after the answer, and says so |
/// | `drop`, `reset` | `1`: closes, or resets, without an answer |
/// | `early` | `100`, `103`, or `1` for both: interim responses first |
/// | `hasty` | `1`: answers at the head of the request, before its body |
/// | `unread` | a name: the request's body is not read until `release` is called with it |
/// | `drip` | milliseconds after each byte of the answer, or `1` for 1 ms |
/// | `field` | `Name:value`, one more field of the answer; may be repeated |
/// | `raw` | the name of a `RawAnswer` |
/// | `count`, `every` | of a path that ends in `/events`: how many events (0: for ever), so many milliseconds apart |
/// | `type` | of such a path: the stream's type |
/// | `protocol` | of a path that ends in `/ws`: the sub-protocol that is selected |
///
/// Names that are not in the table are ignored; a value that is none counts as absent.
struct EchoInstructions: Equatable {
    private var values: [String: [String]] = [:]

    init(_ request: ReceivedRequest) {
        let query = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst()
        for text in query.map(String.init) + request.values(of: "X-Echo") {
            for pair in text.split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                values[String(parts[0]), default: []].append(parts.count > 1 ? PercentEncoding.decode(parts[1]) : "1")
            }
        }
    }

    private func first(_ name: String) -> String? { values[name]?.first }
    private func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        first(name).flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
    }
    private func isOn(_ name: String) -> Bool { first(name) == "1" }
    private func milliseconds(_ name: String) -> Duration? {
        number(name, 1...3_600_000).map { .milliseconds($0) }
    }

    var status: Int { number("status", 200...599) ?? 200 }
    var hasStatus: Bool { first("status") != nil }
    var eventCount: Int { number("count", 0...1_000_000) ?? 10 }
    var eventType: String { first("type") ?? "text/event-stream" }
    var eventInterval: Duration { .milliseconds(number("every", 0...3_600_000) ?? 100) }
    var webSocketProtocol: String? { first("protocol") }
    var delay: Duration? { milliseconds("delay") }
    var hold: String? { first("hold") }
    var bytes: Int? { number("bytes", 0...(1 << 40)) }
    var isChunked: Bool { isOn("chunked") }
    var closes: Bool { isOn("close") }
    var drops: Bool { isOn("drop") }
    var resets: Bool { isOn("reset") }
    var interim: [Int] {
        switch first("early") {
        case "1": [100, 103]
        case "100": [100]
        case "103": [103]
        default: []
        }
    }
    var isHasty: Bool { isOn("hasty") }
    var unread: String? { first("unread") }
    var drip: Duration? { milliseconds("drip") }
    var raw: RawAnswer? { first("raw").flatMap(RawAnswer.init(rawValue:)) }
    var fields: [(name: String, value: String)] {
        (values["field"] ?? []).compactMap { text in
            guard let colon = text.firstIndex(of: ":") else { return nil }
            return (String(text[..<colon]), String(text[colon...].dropFirst()))
        }
    }
}

/// Percent-encoding of query values (RFC 3986 section 2.1); an escape that is none stays as it is.
enum PercentEncoding {
    static func decode(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
