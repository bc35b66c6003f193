import Diagnostics
import GatewayCore

/// The text of a request's outcome.
enum VerdictText {
    /// The maximum length of a displayed identity field.
    private static let longestLine = 100

    static func text(of verdict: Explanation.Verdict) -> String {
        switch verdict {
        case .passes(let forwarded): text(of: forwarded)
        case .refused(let refusal): text(of: refusal)
        case .responded(let response): text(of: response)
        case .ended(let end): text(of: end)
        case .undetermined(let why): "UNDETERMINED: \(why)"
        }
    }

    private static func text(of forwarded: Explanation.Forwarded) -> String {
        let servers = forwarded.servers.map { "\($0)" }.joined(separator: ", ")
        let identity = forwarded.identity.map { line in
            "  " + (line.count > longestLine ? line.prefix(longestLine) + "..." : line[...])
        }
        let target = "\(forwarded.method) \(forwarded.target)"
        let request =
            forwarded.upstream.map { "PASSES to \($0) (\(servers)) as \(target)" }
            ?? "PERMITTED for the proxy that asks, as \(target)"
        return ([request + (identity.isEmpty ? ", anonymous" : ", with")] + identity).joined(separator: "\n")
    }

    private static func text(of response: Explanation.Response) -> String {
        (["ANSWERED with \(response.status) by the gateway itself: \(response.what)"]
            + response.fields.map { "  \($0)" })
            .joined(separator: "\n")
    }

    private static func text(of refusal: Explanation.Refusal) -> String {
        let code = refusal.code
        return
            (["REFUSED with \(code.status) \(code.wire): \(code.title). \(refusal.detail)"]
            + (refusal.isTrailersOnly ? ["The call receives this response, trailers only:"] : [])
            + refusal.fields.map { "  \($0)" })
            .joined(separator: "\n")
    }

    private static func text(of end: Explanation.StreamEnd) -> String {
        let name = errorNames.indices.contains(Int(end.errorCode)) ? errorNames[Int(end.errorCode)] : "\(end.errorCode)"
        return end.endsConnection
            ? "ENDED with GOAWAY \(name), and the connection with it: \(end.reason)"
            : "RESET with RST_STREAM \(name), without a response: \(end.reason)"
    }

    /// The error codes of RFC 9113 section 7, by number.
    private static let errorNames = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]
}
