import GatewayCore
import Revocation

/// The result of a verified event.
enum SecurityEventOutcome: Sendable, Equatable {
    /// The event took effect. The value lists the users whose accounts it concerned: none for an identity without an
    /// account.
    case applied([UserKey])
    /// The event has no effect, or none that is configured.
    case logged
    /// The subject names no user here. The reason is for the log.
    case unresolved(String)
    /// The subject has an unknown critical member.
    case discarded

    var result: SecurityEventResult {
        switch self {
        case .applied: .applied
        case .logged: .logged
        case .unresolved: .unresolved
        case .discarded: .discarded
        }
    }
}

/// The effect of a security event.
struct SecurityEventEffect: Sendable {
    let action: SecurityEventAction
    private let subjects: SecurityEventSubjects?
    private let time: UnixTime

    /// Reads the consequence and the subject of an event.
    init(_ event: SecurityEvent) throws(SecurityEventFailure) {
        var action = try event.action()
        if action == .block || action == .purge, let subject = event.subject,
            SecurityEventSubjects.isRestricted(subject)
        {
            action = .revoke
        }
        self.action = action
        time = event.time
        switch action {
        case .log, .reportStream: subjects = nil
        case .revoke, .block, .purge, .removeAddress:
            guard let subject = event.subject else { throw .rejected(.request("The token has no sub_id.")) }
            subjects = try SecurityEventSubjects(subject, of: event.transmitter)
        }
    }

    /// Applies the effect. Each step is idempotent.
    func make(in store: any GatewayStore, now: Int64) async throws(StoreError) -> SecurityEventOutcome {
        switch subjects {
        case nil: return .logged
        case .discarded: return .discarded
        case .unresolved(let reason): return .unresolved(reason)
        case .users(let subjects):
            var users: [UserKey] = []
            var isApplied = false
            for subject in subjects {
                guard let affected = try await apply(to: subject, in: store, now: now) else { continue }
                isApplied = true
                users += affected.filter { !users.contains($0) }
            }
            return isApplied ? .applied(users) : .unresolved("no account has the address")
        }
    }

    /// Returns the users whose accounts changed: none for an identity without an account. `nil` if the subject names no
    /// user.
    private func apply(
        to subject: SecurityEventSubject, in store: any GatewayStore, now: Int64
    ) async throws(StoreError) -> [UserKey]? {
        switch subject {
        case .identity(let link):
            guard let extent = action.extent else { return nil }
            return try await EventEffect(link, at: time, now: now, extent).make(in: store).map { [$0] } ?? []
        case .user(let user):
            guard let extent = action.extent else { return nil }
            return [try await change(user, extent, in: store)]
        case .address(let address):
            guard let user = try await store.uid(ofEmail: address) else { return nil }
            // The event is about an earlier owner of the address.
            if let created = try await store.account(user)?.created, created > time { return nil }
            guard let extent = action.extent else {
                try await store.removeEmail(address, of: user)
                return [user]
            }
            return [try await change(user, extent, in: store)]
        }
    }

    private func change(
        _ user: UserKey, _ extent: EventEffect.Extent, in store: any GatewayStore
    ) async throws(StoreError) -> UserKey {
        try await store.revoke(user, at: time.seconds, extent.scope)
        if extent != .revocation { try await store.setDisabled(user, true) }
        return user
    }
}

extension SecurityEventAction {
    /// The consequence for a user. `nil` if there is none.
    fileprivate var extent: EventEffect.Extent? {
        switch self {
        case .revoke: .revocation
        case .block: .block
        case .purge: .deletion
        case .removeAddress, .log, .reportStream: nil
        }
    }
}
