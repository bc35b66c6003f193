import Authentication
import GatewayCore
import JOSE
import Revocation

/// `POST link`: lets a further identity at a provider belong to the caller's account.
struct LinkCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        let body = try CallBody(of: call, taking: ProvenBody.members + ["consent"])
        let consents = try body.flag("consent")
        try parts.count(caller.user)
        try await parts.standing.require(caller, isRecent: true)
        let keys = try parts.keys
        let linking = Linking(
            parts: parts, caller: caller, account: try await parts.account(caller.user), consents: consents, keys: keys,
            audit: AuditLog(logger: parts.auditLogger ?? parts.logger, requestID: call.requestID))
        let account = try await link(try ProvenBody(body, parts), linking, call)
        return .json(Self.answer(account))
    }

    /// All that can be mended with the same proof is asked before its one use.
    private func link(
        _ proven: ProvenBody, _ linking: Linking, _ call: AccountCall
    ) async throws -> AccountRecord {
        switch proven {
        case .credential(let request, let provider):
            let candidate = try await parts.proving.candidate(request, provider: provider, for: call.network)
            let user = try ProvenUser(candidate)
            try parts.count(UserKey(user.link))
            try linking.checkConsent(user)
            try await parts.proving.use(candidate, for: .link)
            return try await linking.link(user)
        case .pending(let token):
            try parts.count(UserKey(token.user.link))
            guard case .link = token.purpose else {
                throw Refusal.credential("a pending token that only sign-in takes")
            }
            guard try token.isBound(to: linking.caller.user) else { throw Refusal(.userMismatch) }
            try linking.checkConsent(token.user)
            try await parts.use(token)
            return try await linking.link(token.user)
        }
    }

    /// The account's providers.
    static func answer(_ account: AccountRecord) -> [UInt8] {
        var answer = ObjectText()
        answer.add("uid", account.uid)
        answer.add("providers", account.links.keys.sorted())
        return answer.bytes
    }
}
