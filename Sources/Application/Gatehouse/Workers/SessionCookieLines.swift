import Accounts
import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import HTTPServer
import RequestPipeline
import Revocation

/// The `Set-Cookie` lines of session cookies and of flows.
///
/// Clearing uses the same attributes as setting, otherwise the browser keeps the cookie (RFC 6265 section 5.3). The
/// attributes fulfil the conditions of the name prefixes `__Secure-`, `__Host-` and `__Host-Http-`.
struct SessionCookieLines: Sendable {
    /// The name of the cookie, and earlier names, which are cleared with each change.
    let name: String
    var previousNames: [String] = []
    var sameSite = Configuration.Accounts.SameSite.lax

    private static let attributes = "Path=/; HttpOnly; Secure; SameSite="

    /// All names that are read.
    var names: [String] { [name] + previousNames }

    private var attributes: String { Self.attributes + (sameSite == .strict ? "Strict" : "Lax") }

    /// Returns the fields that set or clear the cookie.
    func fields(of cookie: SessionCookie) -> [(name: String, value: String)] {
        let value =
            switch cookie {
            case .set(let token, let maximumAge): "\(name)=\(token); Max-Age=\(maximumAge); \(attributes)"
            case .clear: "\(name)=; Max-Age=0; \(attributes)"
            }
        return ([value] + previousNames.map { "\($0)=; Max-Age=0; \(attributes)" }).map { ("Set-Cookie", $0) }
    }

    /// Returns the value for the binding of flows. `SameSite=Lax` is sent when a provider leads the browser back.
    func value(ofBinding binding: String) -> String {
        "\(BrowserRequest.bindingCookie)=\(binding); Max-Age=\(FlowCookie.bindingLifetime); \(Self.attributes)Lax"
    }

    func fields(of cookie: FlowCookie) -> [(name: String, value: String)] {
        switch cookie {
        case .session(let cookie): fields(of: cookie)
        case .binding(let binding): [("Set-Cookie", value(ofBinding: binding))]
        }
    }

    /// Returns the complete lines.
    func lines(of cookie: SessionCookie) -> [UInt8] {
        Array(fields(of: cookie).map { "\($0.name): \($0.value)\r\n" }.joined().utf8)
    }
}

extension Worker {
    /// Renews the session cookie with the response to a permitted request, if it is due, and records the use of the
    /// session. Other requests cost one comparison.
    func sessionUsed(_ entry: VerifiedTokenCache.Entry, by client: ClientHandler) {
        let now = clock.now()
        guard entry.examinesAt.seconds <= now else { return }
        let principal = entry.principal
        guard principal.origin != nil else {
            entry.examinesAt = .latest
            return
        }
        entry.examinesAt = min(renew(entry, for: client, now: now), recordUse(of: entry, now: now))
    }

    /// Prepares the renewal of the cookie if it is due. The cookie is made with the response, which may not permit it;
    /// then a later request renews it.
    ///
    /// - Returns: When the cookie is due.
    private func renew(_ entry: VerifiedTokenCache.Entry, for client: ClientHandler, now: Int64) -> UnixTime {
        guard let renewal = snapshot.sessionRenewal else { return .latest }
        let due = max(renewal.due(entry.principal), entry.renewsAt)
        guard due.seconds <= now else { return due }
        client.record.cookieRenewal = CookieRenewal(names: snapshot.sessionCookies.names) { [weak self] in
            self?.renewedLines(entry, renewal)
        }
        return due
    }

    /// Returns the lines of the renewed cookie. `nil` if another response renewed it, or if the session ended since the
    /// request was forwarded. The times of the user's sign-in and of the session's start do not change.
    private func renewedLines(_ entry: VerifiedTokenCache.Entry, _ renewal: SessionRenewal) -> [UInt8]? {
        let (now, principal) = (clock.now(), entry.principal)
        guard entry.renewsAt.seconds <= now, now < principal.expiresAt.seconds, !isRevoked(principal),
            let keys = sessionKeys
        else { return nil }
        entry.renewsAt = renewal.next(after: now)
        return renewal.cookie(principal, keys: keys, now: now).map { snapshot.sessionCookies.lines(of: $0) }
    }

    /// Returns whether the view shows the session as ended.
    private func isRevoked(_ principal: Principal) -> Bool {
        switch pipeline.authorizer.store.session(principal.sessionKey) {
        case .none: false
        case .record(let isRevoked, _, _): isRevoked
        case .faulty: true
        }
    }

    /// Records the use of a session that was last recorded long enough ago.
    ///
    /// - Returns: When the next use is to be recorded.
    private func recordUse(of entry: VerifiedTokenCache.Entry, now: Int64) -> UnixTime {
        guard let uses = lookups.sessionUses, let interval = snapshot.sessionTerms?.useInterval,
            let issuedAt = entry.principal.issuedAt
        else { return .latest }
        let next = max(issuedAt, entry.useRecordedAt).adding(interval)
        guard next.seconds <= now else { return next }
        entry.useRecordedAt = UnixTime(clamping: now)
        if let use = SessionUse(entry.principal) { uses.add(use) }
        return entry.useRecordedAt.adding(interval)
    }
}
