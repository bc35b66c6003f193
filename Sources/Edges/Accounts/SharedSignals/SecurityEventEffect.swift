import GatewayConfiguration
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
    /// The subject is unknown, and the transmitter has no place for a further unknown user.
    case full

    var result: SecurityEventResult {
        switch self {
        case .applied: .applied
        case .logged: .logged
        case .unresolved: .unresolved
        case .discarded: .discarded
        case .full: .full
        }
    }

    /// Returns the outcome for several subjects: applied if it is for one of them.
    fileprivate func joined(with other: SecurityEventOutcome) -> SecurityEventOutcome {
        switch (self, other) {
        case (.applied(let users), .applied(let more)): .applied(users + more.filter { !users.contains($0) })
        case (.applied, .logged), (.applied, .unresolved), (.logged, .unresolved): self
        default: other
        }
    }
}

/// The effect of a security event.
struct SecurityEventEffect: Sendable {
    /// The life of the record of a user unknown to the store, in seconds: longer than any ID token is valid.
    static let unknownLife: Int64 = 400 * 86_400

    let action: SecurityEventAction
    private let subjects: SecurityEventSubjects?
    private let time: UnixTime
    private let settings: Configuration.Transmitter

    /// Reads the consequence and the subject of an event.
    init(_ event: SecurityEvent) throws(SecurityEventFailure) {
        var action = try event.action()
        if let subject = event.subject, SecurityEventSubjects.isRestricted(subject) { action = action.restricted }
        self.action = action
        time = event.time
        settings = event.transmitter.settings
        switch action {
        case .log, .reportStream: subjects = nil
        case .revoke, .block, .unblock, .purge, .removeAddress:
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
            var outcome = SecurityEventOutcome.unresolved("no account has the address")
            for subject in subjects {
                outcome = outcome.joined(with: try await apply(to: subject, in: store, now: now))
                if outcome == .full { return .full }
            }
            return outcome
        }
    }

    private func apply(
        to subject: SecurityEventSubject, in store: any GatewayStore, now: Int64
    ) async throws(StoreError) -> SecurityEventOutcome {
        switch subject {
        case .identity where action == .removeAddress, .user where action == .removeAddress: return Self.noAccount
        case .identity(let link):
            let isKnown = try await store.owner(of: link) != nil
            guard let author = try await admit(UserKey(link), isKnown: isKnown, in: store, now: now) else {
                return .full
            }
            guard let extent = action.extent else {
                return try await unblock(UserKey(link), in: store, by: author) ? .applied([]) : .logged
            }
            let effect = EventEffect(link, at: time, now: now, extent)
            return .applied(try await effect.make(in: store, by: author).map { [$0] } ?? [])
        case .user(let user):
            let isKnown = try await store.account(user) != nil
            guard let author = try await admit(user, isKnown: isKnown, in: store, now: now) else { return .full }
            return try await change(user, in: store, by: author)
        case .address(let address):
            guard let user = try await store.uid(ofEmail: address) else { return Self.noAccount }
            // The event is about an earlier owner of the address.
            if let created = try await store.account(user)?.created, created > time { return Self.noAccount }
            guard action != .removeAddress else {
                try await store.removeEmail(address, of: user)
                return .applied([user])
            }
            return try await change(user, in: store, by: makeAuthor())
        }
    }

    private static let noAccount = SecurityEventOutcome.unresolved("no account has the address")

    private func makeAuthor(expires: UnixTime? = nil) -> ChangeAuthor {
        ChangeAuthor(transmitter: settings.id, time: time, isWrittenBack: settings.writeBack, expires: expires)
    }

    /// Returns the author of a change of a user's record, after a place was reserved if the user is unknown. `nil` if
    /// there is no place.
    ///
    /// A provider renews no credential of a session that it reported as ended, so that the record can end after all
    /// earlier ones. Firebase does not know of the event, and renews: that record must not end.
    private func admit(
        _ user: UserKey, isKnown: Bool, in store: any GatewayStore, now: Int64
    ) async throws(StoreError) -> ChangeAuthor? {
        if isKnown { return makeAuthor() }
        let life: Int64? = settings.subjects == .firebase ? nil : Self.unknownLife
        let expires = life.map { UnixTime(clamping: now).adding($0) }
        // Lifting a block adds no record.
        if action == .unblock { return makeAuthor(expires: expires) }
        let reservation = try await store.reserve(
            user, for: settings.id, until: expires, limit: settings.unknownUsers)
        return reservation == .full ? nil : makeAuthor(expires: expires)
    }

    private func change(
        _ user: UserKey, in store: any GatewayStore, by author: ChangeAuthor
    ) async throws(StoreError) -> SecurityEventOutcome {
        guard let extent = action.extent else {
            return try await unblock(user, in: store, by: author) ? .applied([user]) : .logged
        }
        try await extent.apply(to: user, at: time, in: store, by: author)
        return .applied([user])
    }

    /// Lifts the block of the transmitter. Returns whether the user was disabled before, and is not now.
    private func unblock(
        _ user: UserKey, in store: any GatewayStore, by author: ChangeAuthor
    ) async throws(StoreError) -> Bool {
        guard action == .unblock, try await store.user(user).disabled else { return false }
        return try await !store.setDisabled(user, false, by: author).disabled
    }
}

extension SecurityEventAction {
    /// The consequence for a user. `nil` for others.
    fileprivate var extent: EventEffect.Extent? {
        switch self {
        case .revoke: .revocation
        case .block: .block
        case .purge: .deletion
        case .unblock, .removeAddress, .log, .reportStream: nil
        }
    }

    /// The action for a subject that is only a part of the user's accounts, which the gateway does not know.
    fileprivate var restricted: SecurityEventAction {
        switch self {
        case .block, .purge: .revoke
        case .unblock: .log
        case .revoke, .removeAddress, .log, .reportStream: self
        }
    }

    /// Whether a repetition of the event undoes a later change. A repeated revocation has no further effect.
    var mustNotRepeat: Bool { self != .revoke }
}
