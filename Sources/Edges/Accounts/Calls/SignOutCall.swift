import Authentication
import GatewayCore
import Revocation

/// `POST sign-out`: ends the caller's session, or all sessions of the caller.
struct SignOutCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ["everywhere"], mayBeEmpty: true)
        let isEverywhere = try body.flag("everywhere")
        guard let caller = call.caller?.principal else { return .done(cookie: .clear) }
        if isEverywhere {
            try await parts.standing.require(caller, isRecent: true)
            try await parts.store.revoke(caller.user, at: parts.clock.now(), .everything)
        }
        // After the others, which it could not end any more; and by itself, since a token of Firebase of this very second outlives the revocation.
        if let session = caller.session {
            try await parts.store.revokeSession(caller.user, session, expires: caller.endedUntil)
        }
        return .done(cookie: .clear)
    }
}
