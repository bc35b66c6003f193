import Authentication
import GatewayCore
import Revocation

/// `POST link`: links another identity at a provider to the caller's account.
struct LinkCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        let body = try CallBody(of: call, taking: ProvenBody.members + ["consent"])
        let consents = try body.flag("consent")
        try parts.count(caller.user)
        try await parts.authorizer.require(caller, isRecent: true)
        let linking = try Linking(parts, caller, try await parts.account(caller.user), consents: consents, call)
        let (account, cookie) = try await link(try ProvenBody(body, parts), linking, call)
        return .json(Self.responseBody(account), cookie: cookie)
    }

    /// Links the identity. All checks that the user can satisfy with the same proof precede its single use.
    private func link(
        _ proven: ProvenBody, _ linking: Linking, _ call: AccountCall
    ) async throws -> (account: AccountRecord, cookie: SessionCookie?) {
        switch proven {
        case .credential(let request, let provider):
            let candidate = try await parts.redeemer.candidate(request, provider: provider, for: call.network)
            let user = try ProvenUser(candidate)
            try parts.count(UserKey(user.link))
            try linking.checkConsent(user)
            try await parts.redeemer.use(candidate, for: .link)
            return try await linking.link(user)
        case .pending(let token):
            try parts.count(UserKey(token.user.link))
            guard case .link = token.purpose else {
                throw AccountDenial.credential("a pending token for sign-in only")
            }
            guard try token.isBound(to: linking.caller.user) else { throw AccountDenial(.userMismatch) }
            try linking.checkConsent(token.user)
            try await parts.use(token)
            return try await linking.link(token.user)
        case .code(let code):
            let user = try await AppCodes(parts: parts).redeem(code, for: .link, call).user
            try linking.checkConsent(user)
            let linked = try await linking.link(user)
            await parts.keepToken(of: user, for: linking.caller.user, call)
            return linked
        }
    }

    /// Returns the response with the account's providers, and the number of messages that the outbox did not accept.
    static func responseBody(_ account: AccountRecord, dropped: Int = 0) -> [UInt8] {
        var body = ObjectText()
        body.add("uid", account.uid)
        body.add("providers", account.links.keys.sorted())
        if dropped > 0 { body.add("dropped_messages", Int64(dropped)) }
        return body.bytes
    }
}

/// `POST unlink`: removes the link of the caller's account to a provider.
struct UnlinkCall {
    private static let firebaseLink = "Firebase lists this identity for the user. Unlink it in Firebase."
    private static let lastLink = "This is the account's only provider. Link another one first."

    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        let body = try CallBody(of: call, taking: ["provider"])
        let provider = try body.requiredText("provider", atMost: StoreBounds.maximumProviderSize)
        try parts.count(caller.user)
        try await parts.authorizer.require(caller, isRecent: true)
        guard (try? StoreBounds.check(provider: provider)) != nil else { throw AccountDenial(.noSuchProvider) }
        try await checkFirebase(provider, of: caller.user)
        try await parts.countRemoval(by: caller.user)
        switch try await parts.store.release(provider: provider, of: caller.user, keeping: caller.startedAt) {
        case .released(let link, let account, let dropped, let lost):
            parts.auditLog(call).record(.unlink, of: caller.user, provider: link.provider)
            // If that identity started the caller's session, the session ends too. A failure leaves the session with
            // its earlier name and fewer links, or ends it if the account lost its address.
            let endsCaller = caller.origin?.link == link
            let cookie: SessionCookie? =
                try await endsCaller
                ? .clear
                : SessionRotation(caller, call, parts)?.rotate(restarted: lost?.restarted, without: lost?.email).cookie
            return .json(LinkCall.responseBody(account, dropped: dropped), cookie: cookie)
        case .absent: throw AccountDenial(.noSuchProvider)
        case .last: throw AccountDenial(.operationNotAllowed, detail: Self.lastLink)
        }
    }

    /// Rejects an identity that Firebase lists for the user, because the next sign-in would link it again.
    private func checkFirebase(_ provider: String, of user: UserKey) async throws {
        guard let users = parts.firebaseUsers else { return }
        let account = try await parts.account(user)
        guard let subject = account.links[provider] else { return }
        let link = IdentityLink(provider: provider, subject: subject)
        guard account.isFirebase(as: link) else { return }
        let name = FirebaseName.identity(provider: provider, id: link.federatedID)
        let evidence = FirebaseEvidence(project: users.project, name: name)
        let isListed = try await parts.authorizer.isListed(evidence, by: user, notBefore: parts.clock.monotonic())
        guard isListed else { return }
        throw AccountDenial(.operationNotAllowed, detail: Self.firebaseLink)
    }
}
