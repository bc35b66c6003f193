import JOSE

/// `POST sign-in`: begins a session of the account that an identity belongs to, or makes one.
struct SignInCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ProvenBody.members + ["user", "expires_in"])
        let lifetime = try body.duration()
        let name = try DisplayName.read(body)
        let keys = try parts.keys
        let user = try await user(try ProvenBody(body, parts, others: ["user"]), call)
        let audit = AuditLog(logger: parts.logger, requestID: call.requestID)
        let found = try await AccountFinder(parts: parts, audit: audit, keys: keys).find(user, name: name)
        let source = SessionSource(
            uid: found.account.uid, claims: user.claims, account: found.account, authTime: user.time,
            isFirebase: found.account.created == nil)
        let cookie = try SessionIssuer(keys: keys).cookie(for: source, now: parts.clock.now(), lifetime: lifetime)
        var answer = ObjectText()
        answer.add("uid", found.account.uid)
        answer.add("is_new_user", found.isNew)
        answer.add("expires_in", lifetime)
        return .json(answer.bytes, cookie: cookie)
    }

    private func user(_ proven: ProvenBody, _ call: AccountCall) async throws -> ProvenUser {
        switch proven {
        case .credential(let request, let provider):
            let candidate = try await parts.proving.candidate(request, provider: provider, for: call.network)
            let user = try ProvenUser(candidate)
            try parts.count(account: user.link.name)
            try await parts.proving.use(candidate, for: .signIn)
            return user
        case .pending(let token):
            guard token.purpose == .signIn else { throw Refusal.credential("a pending token that only link takes") }
            try parts.count(account: token.user.link.name)
            try await parts.use(token)
            return token.user
        }
    }
}
