import Authentication
import GatewayCore
import Revocation

/// `POST account/delete`: deletes the caller's account.
struct DeleteCall {
    private static let foreign = "Another system created this account. Delete it there."

    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        _ = try CallBody(of: call, taking: [], mayBeEmpty: true)
        try parts.count(caller.user)
        // The record is read before the caller is authorized, so that every revocation since prevents the deletion.
        let record = try await parts.store.user(caller.user)
        try await parts.authorizer.require(caller, isRecent: true)
        switch try await parts.store.deleteAccount(caller.user, unlessChangedFrom: record) {
        case .deleted:
            parts.auditLog(call).recordDeletion(of: caller.user)
            return .done(cookie: .clear)
        case .absent: throw AccountDenial(.operationNotAllowed, detail: Self.foreign)
        case .changed:
            throw AccountDenial(caller.kind.revokedCode, reason: "the caller was revoked or disabled meanwhile")
        }
    }
}
