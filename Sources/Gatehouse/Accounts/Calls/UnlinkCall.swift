/// `POST unlink`: ends the link of the caller's account to a provider.
struct UnlinkCall {
    private static let lastLink = "It is the account's only provider: link another first, or nobody could sign in."

    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        let body = try CallBody(of: call, taking: ["provider"])
        let provider = try body.requiredText("provider", atMost: StoreBounds.maximumProviderSize)
        try parts.count(caller.user)
        try await parts.standing.require(caller, isRecent: true)
        guard (try? StoreBounds.check(provider: provider)) != nil else { throw Refusal(.noSuchProvider) }
        switch try await parts.store.release(provider: provider, of: caller.user) {
        case .released(let link, let account):
            // The session that makes the call ends, too, where that identity began it.
            let endsCaller = caller.origin?.link == link
            if !endsCaller, caller.link != link { try await restoreUnlessAllowed(link, to: caller, besides: account) }
            AuditLog(logger: parts.logger, requestID: call.requestID)
                .note(.unlink, of: caller.user, provider: link.provider)
            return .json(LinkCall.answer(account), cookie: endsCaller ? .clear : nil)
        case .absent: throw Refusal(.noSuchProvider)
        case .last: throw Refusal(.operationNotAllowed, detail: Self.lastLink)
        }
    }

    /// Links the identity back if the caller's session ended while the call was under way.
    ///
    /// If the account's other links ended meanwhile, too, it was taken over, and the link is part of what had to end. A takeover revokes the account
    /// first and then ends the links. It either comes before the look at the account below, or finds the link.
    ///
    /// - Parameter account: the account as it was without the identity.
    private func restoreUnlessAllowed(
        _ link: IdentityLink, to caller: Principal, besides account: AccountRecord
    ) async throws {
        do {
            try await parts.standing.require(caller, isRecent: false)
        } catch {
            guard case .linked = try await parts.store.claim(link, for: caller.user, unlessUnlinked: false) else {
                throw error
            }
            let now = try await parts.account(caller.user).links
            if !account.links.isEmpty, !account.links.contains(where: { now[$0] == $1 }),
                case .last = try await parts.store.release(provider: link.provider, of: caller.user)
            {
                try await parts.store.releaseAll(of: caller.user)
            }
            throw error
        }
    }
}
