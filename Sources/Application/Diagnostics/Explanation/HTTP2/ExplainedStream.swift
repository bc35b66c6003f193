import Gatehouse
import GatewayCore
import HTTP2Mapping
import HTTPServer
import HTTPWire
import NIOCore
import PrintableText

/// The HTTP/2 stream of an explained request. The front end decides; this type shows the result.
struct ExplainedStream: Sendable {
    private let request: StreamRequest
    private let frontEnd: HTTP2FrontEnd

    init(_ request: StreamRequest, _ frontEnd: HTTP2FrontEnd) {
        self.request = request
        self.frontEnd = frontEnd
    }

    /// The result of the front end.
    enum Opening {
        /// The head in the form of HTTP/1.1.
        case head([UInt8])
        case ended(Explanation)
    }

    /// Passes the request through the front end, and records its steps.
    func open(_ transcript: inout Transcript) -> Opening {
        let pseudoHeaders = request.fields.filter { $0.name.hasPrefix(":") }
        let shown = pseudoHeaders.map { name, value in
            name == ":path" ? "\(name) \(Self.withoutQuery(value))" : "\(name) \(ShownText.quoted(value))"
        }
        let end = request.endsStream ? "no body follows" : "a body follows"
        transcript.record("stream", "\(shown.joined(separator: ", ")); \(end)")
        let exchange: HTTP2FrontEnd.Exchange
        do {
            exchange = try frontEnd.exchange(request)
        } catch {
            return .ended(transcript.undetermined("the front end of HTTP/2 failed: \(error)"))
        }
        guard let head = exchange.head else { return .ended(rejected(exchange, &transcript)) }
        showHead(head, &transcript)
        return .head(head)
    }

    /// Returns the fields of the response to a denial. `nil` if there is no such response.
    func response(to denial: Denial) -> [HTTP2FrontEnd.Field]? {
        guard let response = try? frontEnd.exchange(request, denial: denial).response, !response.isEmpty else {
            return nil
        }
        return response
    }

    // MARK: - A rejected request

    private func rejected(_ exchange: HTTP2FrontEnd.Exchange, _ transcript: inout Transcript) -> Explanation {
        let (code, reason) = failure ?? (.malformedRequest, "http2: rejected before its fields were translated")
        transcript.fail("head", reason)
        if !exchange.response.isEmpty { return transcript.refused(Denial(code), received: exchange.response) }
        let goAway = exchange.goAway.flatMap { $0 == 0 ? nil : $0 }
        guard let errorCode = exchange.reset ?? goAway else {
            return transcript.undetermined("the front end of HTTP/2 neither accepted nor rejected the request")
        }
        return transcript.ended(
            Explanation.StreamEnd(errorCode: errorCode, endsConnection: exchange.reset == nil, reason: reason))
    }

    /// The error of the translation or of its result. `nil` if an earlier check of the connection failed.
    private var failure: (DecisionCode, String)? {
        let limits = frontEnd.limits
        let translated: RequestMapping.Head
        do throws(RequestMapping.Failure) {
            translated = try RequestMapping.head(
                of: request.headers, endsStream: request.endsStream,
                limits: RequestMapping.Limits(fields: limits.headFields, size: limits.headSize), webSocketKey: { "" })
        } catch {
            return (error.decisionCode, error.reason)
        }
        do throws(HeadError) {
            _ = try ParsedRequest(Array(translated.bytes.readableBytesView), limits: limits)
            return nil
        } catch {
            return (error.decisionCode, error.description)
        }
    }

    // MARK: - The head

    private func showHead(_ head: [UInt8], _ transcript: inout Transcript) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
        let authority = request.fields.first { $0.name == ":authority" }
        if request.fields.contains(where: { $0.name == "host" }) {
            transcript.pass(
                "authority",
                authority == nil
                    ? "none, so host takes its place"
                    : "the same host as the field host, which is omitted")
        }
        let crumbs = request.fields.count { $0.name == "cookie" }
        if crumbs > 1 { transcript.pass("cookie", "\(crumbs) fields, joined in one") }
        if request.fields.contains(where: { $0.name == ":protocol" }) {
            transcript.pass("connect", "extended CONNECT, in HTTP/1.1 a GET with Upgrade")
        }
        transcript.pass("head", Self.shown(requestLine: lines.first ?? ""))
        for line in lines.dropFirst() { transcript.record("", "  \(Self.shown(line))") }
        let names = Set(lines.dropFirst().map { $0.prefix { $0 != ":" } })
        let omitted = request.fields.map(\.name).filter { name in
            !name.hasPrefix(":") && !names.contains(name[...])
        }
        guard !omitted.isEmpty else { return }
        transcript.record("omitted", PrintableText.short(omitted.joined(separator: ", "), limit: 160))
    }

    /// A query or a fragment may contain a token.
    private static func withoutQuery(_ target: String) -> String {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        return PrintableText.short(path, limit: 160) + (target.dropFirst(path.count).first.map { "\($0)..." } ?? "")
    }

    private static func shown(requestLine: String) -> String {
        requestLine.split(separator: " ", omittingEmptySubsequences: false).map { withoutQuery(String($0)) }
            .joined(separator: " ")
    }

    /// The fields whose values are shown. Any other may be a credential.
    private static let shownFields: Set<Substring> = [
        "accept", "accept-encoding", "connection", "content-length", "content-type", "grpc-timeout", "host", "origin",
        "te", "transfer-encoding", "upgrade", "user-agent",
    ]

    private static func shown(_ line: String) -> String {
        let name = line.prefix { $0 != ":" }
        let value = line.dropFirst(name.count + 2)
        if shownFields.contains(name) || name.hasPrefix("sec-fetch-") { return PrintableText.short(line, limit: 160) }
        if name == "cookie" {
            let cookies = value.split(separator: ";").map { cookie in
                // Without a name, the value may be a credential.
                (cookie.contains("=") ? String(cookie.prefix { $0 != "=" }.drop { $0 == " " }) : "") + "=..."
            }
            return "cookie: " + PrintableText.short(cookies.joined(separator: "; "), limit: 160)
        }
        return "\(PrintableText.short(name, limit: 80)): (\(value.utf8.count) bytes)"
    }
}
