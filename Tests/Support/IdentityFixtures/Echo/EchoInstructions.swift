import DevelopmentIdentity
import Foundation

/// What the query of a request asks the echo server to do.
///
/// | name | value |
/// | --- | --- |
/// | `status` | the status code, 200 to 599 |
/// | `delay` | milliseconds before the response |
/// | `hold` | a name: the response waits until `release` is called with it |
/// | `bytes` | a body of so many bytes of `BodyPattern` instead of JSON |
/// | `chunked` | `1`: the body is chunked, and a trailer field follows |
/// | `close` | `1`: closes after the response, and says so |
/// | `drop`, `reset` | `1`: closes, or resets, without a response |
/// | `early` | `100`, `103`, or `1` for both: interim responses first |
/// | `hasty` | `1`: responds to the head of the request, before its body |
/// | `unread` | a name: the request's body is not read until `release` is called with it |
/// | `drip` | milliseconds after each byte of the response, or `1` for 1 ms |
/// | `field` | `Name:value`, one more field of the response; may be repeated |
/// | `raw` | the name of a `RawResponse` |
/// | `type` | of an event stream: its type |
///
/// Names that are not in the table are ignored; an invalid value counts as absent.
struct EchoInstructions: Equatable {
    private var values: [String: [String]] = [:]

    init(_ request: ReceivedRequest) {
        for pair in request.target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            values[parts[0], default: []].append(parts.count > 1 ? parts[1].removingPercentEncoding ?? parts[1] : "1")
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

    var status: Int? { number("status", 200...599) }
    var type: String? { first("type") }
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
    var raw: RawResponse? { first("raw").flatMap(RawResponse.init(rawValue:)) }
    var fields: [(name: String, value: String)] {
        (values["field"] ?? []).compactMap { text in
            guard let colon = text.firstIndex(of: ":") else { return nil }
            return (String(text[..<colon]), String(text[colon...].dropFirst()))
        }
    }
}
