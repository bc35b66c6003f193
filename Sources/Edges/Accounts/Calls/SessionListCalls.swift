package import Authentication
import GatewayCore
import JOSE
package import Revocation

/// `GET account/sessions`: lists the caller's sessions.
struct SessionListCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        try parts.count(caller.user)
        try await parts.authorizer.require(caller, isRecent: false)
        let current = try SessionCatalog.currentID(of: caller)
        let sessions = try await SessionCatalog(parts: parts).sessions(of: caller.user)
        return .json(
            ObjectText.object { body in
                body.add("sessions", sessions) { session, output in
                    output.add(session, isCurrent: session.id == current)
                }
            })
    }
}

/// `POST account/sessions/ID/revoke`: ends one session of the caller. To end another one than the calling one needs a
/// recent sign-in.
struct RevokeSessionCall {
    private static let unknown = "The user has no such session."

    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        _ = try CallBody(of: call, taking: [], mayBeEmpty: true)
        try parts.count(caller.user)
        let isCurrent = try SessionCatalog.currentID(of: caller)?.isExactly(call.browser.session) ?? false
        try await parts.authorizer.require(caller, isRecent: !isCurrent)
        let catalog = SessionCatalog(parts: parts)
        if isCurrent {
            try await catalog.end(caller)
            return .done(cookie: .clear)
        }
        guard
            let session = try await catalog.sessions(of: caller.user)
                .first(where: { $0.id.isExactly(call.browser.session) })
        else { throw AccountDenial(.routeNotFound, detail: Self.unknown) }
        try await catalog.end(session, of: caller.user)
        return .done()
    }
}

extension SessionUse {
    /// Creates the use of a session of the gateway. `nil` for other credentials.
    package init?(_ caller: Principal) {
        guard let id = try? SessionCatalog.currentID(of: caller) else { return nil }
        self.init(user: caller.user, id: id)
    }
}

extension SessionCatalog {
    /// Returns the public ID of the session of a cookie of the gateway. `nil` for other credentials.
    static func currentID(of caller: Principal) throws(AccountDenial) -> String? {
        guard caller.origin != nil, let session = caller.session else { return nil }
        return try id(of: session, caller.user)
    }
}

extension ObjectText {
    /// Adds what a user sees of a session.
    mutating func add(_ session: ListedSession, isCurrent: Bool) {
        let facts = SessionFacts(session.facts)
        add("id", session.id)
        add("started_at", session.began)
        add("last_used_at", session.lastUsed)
        add("ends_at", session.ends)
        add("provider", orNull: facts?.provider)
        add("proof", orNull: facts?.proof?.rawValue)
        add("user_agent", orNull: facts?.userAgent)
        add("current", isCurrent)
    }
}
