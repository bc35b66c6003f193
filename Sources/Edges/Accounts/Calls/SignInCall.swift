import GatewayCore
import JOSE
import Revocation

/// `POST sign-in`: begins a session of the account that an identity belongs to, or makes one.
struct SignInCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ProvenBody.members + ["user", "expires_in"])
        let lifetime = try body.duration()
        let name = try DisplayName.read(body)
        let keys = try parts.keys
        let user = try await user(try ProvenBody(body, parts, others: ["user"]), call)
        let audit = AuditLog(logger: parts.auditLogger ?? parts.logger, requestID: call.requestID)
        let finder = AccountFinder(parts: parts, audit: audit, keys: keys)
        let (found, started) = try await begin(user) { try await finder.find(user, name: name) }
        let source = SessionSource(
            user: found.account.user, claims: user.claims, account: found.account, signIn: user.signIn,
            origin: user.origin, started: started, isFirebase: found.account.created == nil)
        let cookie = try SessionIssuer(keys: keys).cookie(for: source, now: parts.clock.now(), lifetime: lifetime)
        var answer = ObjectText()
        answer.add("uid", found.account.uid)
        answer.add("is_new_user", found.isNew)
        answer.add("expires_in", lifetime)
        return .json(answer.bytes, cookie: cookie)
    }

    /// Finds the account of a user and begins a session of it, anew where the identity is unlinked meanwhile.
    private func begin(
        _ user: ProvenUser, _ find: () async throws -> AccountFinder.Found
    ) async throws -> (AccountFinder.Found, started: UnixTime) {
        for _ in 0..<AccountFinder.attempts {
            let found = try await find()
            let start = try await SessionStarter(parts: parts)
                .start(found.account.user, user.link, madeAt: user.madeAt)
            if let start { return (found, start) }
        }
        throw Refusal(.overloaded, reason: "the identity was linked and unlinked by others, again and again")
    }

    private func user(_ proven: ProvenBody, _ call: AccountCall) async throws -> ProvenUser {
        switch proven {
        case .credential(let request, let provider):
            let candidate = try await parts.proving.candidate(request, provider: provider, for: call.network)
            let user = try ProvenUser(candidate)
            try parts.count(UserKey(user.link))
            try await parts.proving.use(candidate, for: .signIn)
            return user
        case .pending(let token):
            guard token.purpose == .signIn else { throw Refusal.credential("a pending token that only link takes") }
            try parts.count(UserKey(token.user.link))
            try await parts.use(token)
            return token.user
        }
    }
}
