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
        // The record is read before the caller is authorized, so that a revocation of the user since prevents the
        // deletion. Revocations of the session or the identity since are not compared.
        let record = try await parts.store.user(caller.user)
        do {
            try await parts.authorizer.require(caller, isRecent: true)
        } catch let denial as AccountDenial where denial.denial.code == .userDisabled {
            try await completeDeletion(of: caller.user, call)
            throw denial
        }
        // An identity can create another account after each deletion.
        if let link = caller.origin?.link { try await parts.countRemoval(by: UserKey(link)) }
        switch try await parts.store.deleteAccount(caller.user, unlessChangedFrom: record) {
        case .deleted(_, let dropped):
            parts.auditLog(call).recordDeletion(of: caller.user)
            guard dropped > 0 else { return .done(cookie: .clear) }
            return .json(ObjectText.object { $0.add("dropped_messages", Int64(dropped)) }, cookie: .clear)
        case .absent: throw AccountDenial(.operationNotAllowed, detail: Self.foreign)
        case .changed:
            throw AccountDenial(caller.kind.revokedCode, reason: "the caller was revoked or disabled meanwhile")
        }
    }

    /// Completes a deletion of the user that was interrupted after the user was disabled.
    private func completeDeletion(of user: UserKey, _ call: AccountCall) async throws {
        guard try await parts.store.deletionTime(of: user) != nil,
            case .deleted = try await parts.store.deleteAccount(user, unlessChangedFrom: nil)
        else { return }
        parts.auditLog(call).recordDeletion(of: user)
    }
}
