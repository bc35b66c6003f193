import Authentication
import GatewayCore
import Revocation

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
            AuditLog(logger: parts.auditLogger ?? parts.logger, requestID: call.requestID)
                .note(.unlink, of: caller.user, provider: link.provider)
            // The session that makes the call ends, too, where that identity began it.
            let endsCaller = caller.origin?.link == link
            return .json(LinkCall.answer(account), cookie: endsCaller ? .clear : nil)
        case .absent: throw Refusal(.noSuchProvider)
        case .last: throw Refusal(.operationNotAllowed, detail: Self.lastLink)
        }
    }
}
