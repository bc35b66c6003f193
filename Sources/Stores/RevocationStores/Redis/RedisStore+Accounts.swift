import Redis
package import Revocation

extension RedisStore: AccountStore {
    private var steps: RedisAccountSteps {
        RedisAccountSteps(commands: commands, linkGenerations: linkGenerations, clock: clock)
    }

    /// Whom an identity belongs to, read from Redis.
    package func owner(of link: IdentityLink) async throws(StoreError) -> UserKey? {
        try StoreBounds.check(link)
        return try await commands.run { () async throws(StoreError) in
            let owner = try await steps.owner(at: RedisKeys.link(link))
            // The link may be among what Redis has lost: whom the identity names is not known then.
            guard owner != nil || !replica.status.loss.wentBack else {
                throw StoreError(.io, "Redis has lost changes, and links may be among them; POST /v1/store/accept")
            }
            return owner
        }
    }

    /// The account of a uid, read from Redis, with those of its links whose keys say so too.
    package func account(_ uid: UserKey) async throws(StoreError) -> AccountRecord? {
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            let account = try await steps.read(uid).record
            return account.saysAnything ? account : nil
        }
    }

    /// The uid of an address, read from Redis.
    package func uid(ofEmail email: String) async throws(StoreError) -> UserKey? {
        try StoreBounds.check(email: email)
        return try await commands.run { () async throws(StoreError) in try await steps.holder(of: email) }
    }

    /// Links an identity to a uid: takes its key, lists it, and tells.
    package func claim(
        _ link: IdentityLink, for uid: UserKey, unlessUnlinked: Bool
    ) async throws(StoreError) -> LinkClaim {
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            defer { linkGenerations.changed(link.name) }
            _ = try await steps.stored(uid).record(uid, links: [:])
            switch try await steps.hold(link, for: uid, unlessUnlinked ? .implicit : .explicit) {
            case .taken(let owner): return .taken(uid: owner)
            case .providerTaken: return .providerTaken
            case .unlinked: return .unlinked
            case .held(let isNew):
                try await steps.announce(link, uid)
                let account = try await steps.read(uid).record
                return isNew ? .linked(account) : .alreadyLinked(account)
            }
        }
    }

    /// Ends the link of a uid to a provider: marks it as ending, removes its key, and tells.
    package func release(provider: String, of uid: UserKey) async throws(StoreError) -> LinkRelease {
        try StoreBounds.check(provider: provider)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            // What is listed and not held would count as another link.
            for link in try await steps.read(uid).unheld { try await steps.drop(link, of: uid) }
            let (found, subject) = try await steps.step(.unlink, provider, of: uid)
            switch found {
            case "absent": return .absent
            case "last": return .last
            case "ending":
                let link = IdentityLink(provider: provider, subject: subject)
                try await steps.finish(link, of: uid)
                return .released(link, try await steps.read(uid).record)
            default: throw .unexpectedReply()
            }
        }
    }

    /// Ends all links of an account, also of one whose other fields are faulty.
    @discardableResult
    package func releaseAll(
        of uid: UserKey, for successor: IdentityLink?
    ) async throws(StoreError) -> [IdentityLink] {
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            var released: [IdentityLink] = []
            // Ends of links that were begun before hide others of the same provider for one round.
            for _ in 0..<RedisAccountSteps.maximumRounds {
                let links = try await steps.unlinkAll(of: uid, for: successor)
                if links.isEmpty { return released }
                for link in links { try await steps.finish(link, of: uid) }
                released += links.filter { !released.contains($0) }
            }
            throw RedisAccountSteps.contended()
        }
    }

    /// Makes an account, its address and its link, in this order, and tells.
    ///
    /// - Throws: `.invalidAccount` for a record that cannot be one, and for a uid that is not fresh.
    package func createAccount(
        _ account: AccountRecord, claimsEmail: Bool
    ) async throws(StoreError) -> AccountCreation {
        let link = try StoreBounds.check(creating: account)
        return try await commands.run { () async throws(StoreError) in
            defer { linkGenerations.changed(link.name) }
            if let owner = try await steps.owner(at: RedisKeys.link(link)) {
                guard owner == account.user else { return .linkTaken(uid: owner) }
                // A repetition: the link comes last, and only telling of it may be left to do.
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
            // Somebody who proved the same address was merged into it in between.
            case .providerTaken, .unlinked: return .emailTaken(uid: account.user)
            case .held:
                try await steps.announce(link, account.user)
                return .created
            }
        }
    }

    /// Keeps the display name, unless the account has one.
    package func setNameIfAbsent(_ name: String, of uid: UserKey) async throws(StoreError) {
        try StoreBounds.check(name: name)
        try StoreBounds.check(user: uid)
        let command = RedisCommand(["HSETNX", RedisKeys.account(uid), "name", name])
        guard case .integer? = try await commands.ask(command, faulty: RedisAccount.faulty()).first else {
            throw .unexpectedReply()
        }
    }

    /// The stored value, or `initial`, which then is.
    package func setting(_ name: String, initial: [UInt8]) async throws(StoreError) -> [UInt8] {
        try StoreBounds.check(setting: name, initial)
        let faulty = StoreError.faultyRecord(
            repair: "the setting \(name) is no value; remove its key, and it is made anew")
        switch try await commands.ask(
            RedisCommand(["SET", RedisKeys.setting(name), initial, "NX", "GET"]), faulty: faulty
        ).first
        {
        case .null: return initial
        case .string(let value) where 1...StoreBounds.maximumSettingSize ~= value.count: return value
        case .string: throw faulty
        default: throw .unexpectedReply()
        }
    }

    /// Keeps the address of an account, and gives up the one that it had before.
    package func setEmail(
        _ email: String, verified: Bool, from link: IdentityLink, of uid: UserKey, claimsEmail: Bool
    ) async throws(StoreError) -> Bool {
        try StoreBounds.check(email: email)
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            if claimsEmail, try await !steps.reserve(email, for: uid) { return false }
            let (found, old) = try await steps.step(
                .setEmail, email, verified ? "1" : "0", link.provider, link.subject, of: uid)
            guard found == "set" else {
                if claimsEmail { try await steps.giveUp(email, of: uid) }
                return false
            }
            if !old.isEmpty, !old.isExactly(email) { try await steps.giveUp(old, of: uid) }
            return claimsEmail ? try await steps.keepKey(of: email, for: uid) : true
        }
    }
}
