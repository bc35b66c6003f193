package import GatewayCore
import Redis
package import Revocation

extension RedisStore: AccountStore {
    var steps: RedisAccountSteps {
        RedisAccountSteps(commands: commands, linkGenerations: linkGenerations, outbox: outbox, clock: clock)
    }

    /// Returns the user of an identity, read from Redis.
    package func owner(of link: IdentityLink) async throws(StoreError) -> UserKey? {
        try StoreBounds.check(link)
        return try await commands.run { () async throws(StoreError) in
            let owner = try await steps.owner(at: RedisKeys.link(link))
            // The link may be among the changes that Redis has lost, so its absence proves nothing.
            guard owner != nil || !replica.status.loss.wentBack else {
                throw StoreError(
                    .io, "Redis has lost changes, which may include links; accept its state with POST /v1/store/accept")
            }
            return owner
        }
    }

    /// Returns the account of a user, read from Redis, with the listed links whose keys name the user.
    package func account(_ uid: UserKey) async throws(StoreError) -> AccountRecord? {
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            let account = try await steps.read(uid).record
            return account.saysAnything ? account : nil
        }
    }

    /// Returns the user of an address, read from Redis. If the account's deletion was interrupted, it is completed
    /// first, and the address is free.
    package func uid(ofEmail email: String) async throws(StoreError) -> UserKey? {
        try StoreBounds.check(email: email)
        return try await commands.run { () async throws(StoreError) in
            guard let holder = try await steps.holder(of: email) else { return nil }
            guard try await complete(holder) else { return holder }
            return try await steps.holder(of: email)
        }
    }

    /// Links an identity to a user: takes its key, lists the link, and publishes the change.
    package func claim(
        _ link: IdentityLink, for uid: UserKey, unlessUnlinked: Bool, evidence: FirebaseEvidence?
    ) async throws(StoreError) -> LinkClaim {
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            defer { linkGenerations.changed(link.name) }
            _ = try await steps.stored(uid).record(uid, links: [:])
            let listing = unlessUnlinked ? RedisScript.Listing.implicit : .explicit
            switch try await steps.hold(link, for: uid, listing, evidence: evidence) {
            case .taken(let owner): return .taken(uid: owner)
            case .providerTaken: return .providerTaken
            case .unlinked: return .unlinked
            case .deleted: return .deleted
            case .held(let isNew):
                try await steps.announce(link, uid)
                let account = try await steps.read(uid).record
                return isNew ? .linked(account) : .alreadyLinked(account)
            }
        }
    }

    /// Unlinks a provider from a user: marks the link as being removed, removes its key, and publishes the change.
    package func release(
        provider: String, of uid: UserKey, keeping start: UnixTime?
    ) async throws(StoreError) -> LinkRelease {
        try StoreBounds.check(provider: provider)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            // A link that is listed but not held would count as another link.
            for link in try await steps.read(uid).unheld { try await steps.drop(link, of: uid) }
            return try await steps.listed(uid) { () async throws(StoreError) -> LinkRelease in
                let (found, subject, dropped) = try await steps.unlink(.unlink, provider, of: uid)
                switch found {
                case "absent": return .absent
                case "last": return .last
                case "ending":
                    let link = IdentityLink(provider: provider, subject: subject)
                    let lost = try await steps.finish(link, of: uid, keeping: start)
                    return .released(link, try await steps.read(uid).record, dropped: dropped, lost: lost)
                default: throw .unexpectedReply()
                }
            }
        }
    }

    /// Unlinks an identity like `release`, if the link has this evidence. A removal of another identity of the provider
    /// that was begun before is completed first.
    package func evict(
        _ link: IdentityLink, of uid: UserKey, evidence: FirebaseEvidence
    ) async throws(StoreError) -> Bool {
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            for _ in 0..<RedisAccountSteps.maximumRounds {
                let (found, subject, _) = try await steps.unlink(
                    .evict, link.provider, link.subject, evidence.text, of: uid)
                guard found == "evicted" || found == "ending" else { return false }
                try await steps.finish(IdentityLink(provider: link.provider, subject: subject), of: uid)
                if found == "evicted" { return true }
            }
            throw RedisAccountSteps.contended()
        }
    }

    /// Unlinks all identities of an account, even if other fields are faulty.
    @discardableResult
    package func releaseAll(
        of uid: UserKey, for successor: IdentityLink?
    ) async throws(StoreError) -> [IdentityLink] {
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            var released: [IdentityLink] = []
            // A removal that was begun before hides another link of the same provider for one round.
            for _ in 0..<RedisAccountSteps.maximumRounds {
                let links = try await steps.unlinkAll(of: uid, for: successor)
                if links.isEmpty {
                    try await steps.releaseLost(of: uid)
                    return released
                }
                for link in links { try await steps.finish(link, of: uid) }
                released += links.filter { !released.contains($0) }
            }
            throw RedisAccountSteps.contended()
        }
    }

    /// Creates an account, its address and its link, in this order, and publishes the link.
    ///
    /// - Throws: `.invalidAccount` for an invalid record or a uid that is in use.
    package func createAccount(
        _ account: AccountRecord, claimsEmail: Bool
    ) async throws(StoreError) -> AccountCreation {
        let link = try StoreBounds.check(creating: account)
        return try await commands.run { () async throws(StoreError) in
            defer { linkGenerations.changed(link.name) }
            if let owner = try await steps.owner(at: RedisKeys.link(link)) {
                guard owner == account.user else { return .linkTaken(uid: owner) }
                // A repeated call: the link is created last, so only its publication may be missing.
                try await steps.announce(link, account.user)
                return .created
            }
            try await steps.create(account, link)
            let email = claimsEmail ? account.email : nil
            if let email, let refusal = try await steps.takeEmail(email, of: account.user, link) {
                return try await steps.abandon(account.user, link, email: nil, refusal)
            }
            switch try await steps.hold(link, for: account.user, .implicit) {
            case .taken(let owner):
                return try await steps.abandon(account.user, link, email: email, .linkTaken(uid: owner))
            // A user who proved the same address was merged into the account meanwhile, or it was deleted.
            case .providerTaken, .unlinked, .deleted: return .emailTaken(uid: account.user)
            case .held:
                try await steps.announce(link, account.user)
                return .created
            }
        }
    }

    /// Changes the chosen parts of the profile.
    package func setProfile(_ change: ProfileChange, of uid: UserKey) async throws(StoreError) -> Bool {
        try StoreBounds.check(change)
        try StoreBounds.check(user: uid)
        var arguments: [String] = []
        for (field, value) in [("name", change.name), ("picture", change.picture)] where value != .kept {
            arguments += [field, value == .removed ? "removed" : "set", value.text ?? ""]
        }
        let command = RedisScript.setProfile.command(RedisKeys.account(uid), arguments)
        guard case .integer(let isSet)? = try await commands.query(command, faulty: RedisAccount.faulty()).first else {
            throw .unexpectedReply()
        }
        return isSet == 1
    }

    /// Sets the display name, unless the account has one, its user chose to have none, or it is deleted.
    package func setNameIfAbsent(_ name: String, of uid: UserKey) async throws(StoreError) {
        try StoreBounds.check(name: name)
        try StoreBounds.check(user: uid)
        let command = RedisScript.setName.command(RedisKeys.account(uid), [name])
        guard case .integer? = try await commands.query(command, faulty: RedisAccount.faulty()).first else {
            throw .unexpectedReply()
        }
    }

    /// Returns the setting. If it is absent, stores and returns `initial`.
    package func setting(_ name: String, initial: [UInt8]) async throws(StoreError) -> [UInt8] {
        try StoreBounds.check(setting: name, initial)
        let faulty = StoreError.faultyRecord(
            repair: "the value of the setting \(name) is invalid; remove its key to create it again")
        switch try await commands.query(
            RedisCommand(["SET", RedisKeys.setting(name), initial, "NX", "GET"]), faulty: faulty
        ).first
        {
        case .null: return initial
        case .string(let value) where 1...StoreBounds.maximumSettingSize ~= value.count: return value
        case .string: throw faulty
        default: throw .unexpectedReply()
        }
    }
}
