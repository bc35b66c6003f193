import GatewayCore
import JOSE
import Logging
import Revocation
import TextCoding

/// The reply to a flow that failed: the browser returns to the app, with a word of the gateway's own and never with
/// text of the provider.
struct FlowOutcome {
    /// The lifetime of a result that the app may fetch, in seconds.
    private static let resultLifetime: Int64 = 300

    let parts: AccountParts
    let provider: FlowProvider
    let requestID: String

    func reply(to error: any Error, _ target: ReturnTarget, _ binding: BrowserBinding) async throws -> AccountReply {
        switch error {
        case let denial as AccountDenial: return try await refused(denial, target, binding)
        case let error as StoreError: return try await refused(AccountDenial(error), target, binding)
        default:
            let (word, reason, isOurs) = Self.word(of: error)
            log(word, reason, level: isOurs ? .error : .info)
            return .redirect(to: location(of: target, [("error", word)], binding), cookies: [])
        }
    }

    /// Returns to the app with the code of a denial. If the denial has more to say, such as a pending token, the app
    /// fetches it: a URL is no place for it.
    private func refused(
        _ refusal: AccountDenial, _ target: ReturnTarget, _ binding: BrowserBinding
    ) async throws -> AccountReply {
        let code = "\(refusal.denial.code.wire)"
        log(code, refusal.reason ?? "", level: refusal.denial.code.status < 500 ? .info : .warning)
        var parameters = [("error", code)]
        if let members = refusal.denial.members {
            let handle = RandomText.name()
            var text = ObjectText()
            text.add("code", code)
            text.add("members", json: [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")])
            let shelf = try parts.shelf(for: requestID)
            try await shelf.put(
                String(decoding: text.bytes, as: UTF8.self), as: .result, named: handle, of: binding,
                lifetime: Self.resultLifetime)
            parameters.append(("result", handle))
        }
        let cookies = refusal.cookie.map { [FlowCookie.session($0)] } ?? []
        return .redirect(to: location(of: target, parameters, binding), cookies: cookies)
    }

    /// Returns the address of a target with the parameters of an error, the first of which is its word. The sign-in
    /// page shows only a marked one.
    private func location(
        of target: ReturnTarget, _ parameters: [(name: String, value: String)], _ binding: BrowserBinding
    ) -> String {
        guard parts.flows?.targets.isPage(target) == true, let keys = parts.authority.keys,
            let word = parameters.first?.value,
            let mark = ErrorMark.make(word, for: binding, keys: keys, now: parts.clock.now())
        else { return target.adding(parameters).location }
        return target.adding(parameters + [(ErrorMark.parameter, mark)]).location
    }

    /// Returns the word for the app, the reason for the log, and whether only the operator can help.
    private static func word(of error: any Error) -> (word: String, reason: String, isOurs: Bool) {
        switch error {
        case FlowError.cancelled: ("cancelled", "the user refused", false)
        case FlowError.loginRequired: ("login_required", "the provider needs the user", false)
        case FlowError.unavailable: ("provider_unavailable", "the provider reports a temporary problem", false)
        case FlowError.sessionChanged: ("session_changed", "another session than the one that started the flow", false)
        case FlowError.refused(let code): ("failed", "the provider: \(ForeignText.shown(code))", false)
        case FlowFailure.unavailable(let why): ("provider_unavailable", why, false)
        case FlowFailure.rejected(let why): ("failed", why, false)
        case FlowFailure.misconfigured(let why): ("failed", why, true)
        default: ("failed", "\(error)", true)
        }
    }

    private func log(_ word: String, _ reason: String, level: Logger.Level) {
        parts.logger.log(
            level: level, "sign-in flow failed",
            metadata: [
                "provider": "\(provider.id)", "code": "\(word)", "reason": "\(reason)", "request_id": "\(requestID)",
            ])
    }
}

/// `POST result`: the details of a flow that failed, for the browser that has its handle and its binding.
struct ResultCall {
    private static let limits = JSONLimits(size: StoreBounds.maximumFlowSize, depth: 16, members: 1_024)

    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ["result"])
        let handle = try body.requiredText("result", atMost: 64)
        let shelf = try parts.shelf(for: call.requestID)
        guard let text = try await shelf.take(.result, named: handle, of: call.browser.allBindings)?.value,
            let root = (try? JSONDocument(Array(text.utf8), limits: Self.limits))?.root,
            let code = DecisionCode.allCases.first(where: { root["code"]?.equals("\($0.wire)") == true }),
            let members = root["members"]?.compact
        else {
            throw AccountDenial.malformed("The result is unknown, was fetched before, or belongs to another browser.")
        }
        var denial = Denial(code)
        denial.members = Array(members.dropFirst().dropLast())
        return .refused(denial)
    }
}

/// The pages of a flow at its callback. They contain no text of a request but its query, escaped.
enum FlowPage {
    /// The fields of all pages.
    static let fields: [(name: String, value: String)] = [
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"),
        ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
    ]

    /// The end of the query after the page that leads the browser onward.
    static let onwardMark = "&onward=1"

    /// Returns the page that requests the callback again from this site. `nil` if the query has characters that no
    /// provider sends: the callback then examines it.
    static func onward(_ provider: String, query: [UInt8]) -> [UInt8]? {
        guard query.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"'<>`\\".utf8.contains($0) }) else { return nil }
        let address = "/.gatehouse/callback/\(provider)?\(String(decoding: query, as: UTF8.self))\(onwardMark)"
        let page: HTML = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Sign in</title>
            <meta http-equiv="refresh" content="0;url=\(address)"></head>
            <body><p><a href="\(address)">Continue</a></p></body></html>

            """
        return Array(page.text.utf8)
    }

    /// Returns the page after a response without an open flow. `provider` is a configured ID.
    static func startAgain(_ provider: String) -> [UInt8] {
        Array(
            """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Sign in again</title></head>
            <body><h1>Sign in again</h1>
            <p>This sign-in has expired, was completed before, or began in another browser.</p>
            <p><a href="/.gatehouse/sign-in/\(provider)">Sign in</a></p></body></html>

            """.utf8)
    }
}
