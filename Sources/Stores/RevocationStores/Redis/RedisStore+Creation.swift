import Redis
package import Revocation

/// Making accounts. The hash first, so that whoever finds the address or the link of an account finds the account; the link last.
extension RedisStore {
    /// Makes an account, its address and its link, in this order, and tells.
    ///
    /// - Throws: `.invalidAccount` for a record that cannot be one, and for a uid that is not fresh.
    package func createAccount(
        _ account: AccountRecord, claimsEmail: Bool
    ) async throws(StoreError) -> AccountCreation {
        try checkOpen()
        let link = try StoreBounds.check(creating: account)
        return try await run { () async throws(StoreError) in
            defer { linkGenerations.changed(link.name) }
            if let owner = try await owner(at: RedisKeys.link(link)) {
                guard owner == account.user else { return .linkTaken(uid: owner) }
                // A repetition: the link comes last, and only telling of it may be left to do.
                try await tell(link, account.user)
                return .created
            }
            try await create(account, link)
            let email = claimsEmail ? account.email : nil
            if let email, let refusal = try await takeEmail(email, of: account.user, link) {
                return try await abandon(account.user, link, email: nil, refusal)
            }
            switch try await hold(link, for: account.user, .implicit) {
            case .taken(let owner):
                return try await abandon(account.user, link, email: email, .linkTaken(uid: owner))
            // Somebody who proved the same address was merged into it in between.
            case .providerTaken, .unlinked: return .emailTaken(uid: account.user)
            case .held:
                try await tell(link, account.user)
                return .created
            }
        }
    }

    private func create(_ account: AccountRecord, _ link: IdentityLink) async throws(StoreError) {
        let command = RedisScript.create.command(
            RedisKeys.account(account.user), [link.provider, link.subject] + RedisAccount.fields(account))
        guard try await send(command, faulty: RedisAccount.faulty()) == [.integer(1)] else {
            throw .invalidAccount("the uid of a new account is another one's")
        }
    }

    private func abandon(
        _ uid: UserKey, _ link: IdentityLink, email: String?, _ answer: AccountCreation
    ) async throws(StoreError) -> AccountCreation {
        let command = RedisScript.abandon.command(RedisKeys.account(uid), [link.provider, link.subject])
        let isGone = try await send(command, faulty: RedisAccount.faulty()) == [.integer(1)]
        if isGone, let email { try await give(RedisKeys.email(email), of: uid) }
        return answer
    }

    /// Takes an address for an account that is being made; what to answer where it cannot have it.
    private func takeEmail(
        _ email: String, of uid: UserKey, _ link: IdentityLink
    ) async throws(StoreError) -> AccountCreation? {
        guard let owner = try await takeEmail(email, of: uid) else { return nil }
        let account = try await stored(owner)
        // Making that account for this very identity stopped, or goes on now: either way it is the one.
        if account.listed[link.provider]?.isExactly(link.subject) == true,
            case .held = try await hold(link, for: owner, .implicit)
        {
            try await tell(link, owner)
            return .linkTaken(uid: owner)
        }
        if let taken = try await self.owner(at: RedisKeys.link(link)) { return .linkTaken(uid: taken) }
        return .emailTaken(uid: owner)
    }

    /// Takes an address; whose it is, if it is another one's.
    ///
    /// An account that was made here has the address in its hash before it has the key. Without it, taking back its making stopped.
    func takeEmail(_ email: String, of uid: UserKey) async throws(StoreError) -> UserKey? {
        let key = RedisKeys.email(email)
        for _ in 0..<Self.maximumRounds {
            guard let owner = try await take(key, for: uid), owner != uid else { return nil }
            guard try await isReleasing(email, by: owner) else { return owner }
            try await giveUp(email, of: owner)
        }
        throw Self.contended()
    }

    /// Keeps the display name, unless the account has one.
    package func setNameIfAbsent(_ name: String, of uid: UserKey) async throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(name: name)
        try StoreBounds.check(user: uid)
        let command = RedisCommand(["HSETNX", RedisKeys.account(uid), "name", name])
        guard case .integer? = try await ask(command, faulty: RedisAccount.faulty()).first else {
            throw .unexpectedReply()
        }
    }

    /// The stored value, or `initial`, which then is.
    package func setting(_ name: String, initial: [UInt8]) async throws(StoreError) -> [UInt8] {
        try checkOpen()
        try StoreBounds.check(setting: name, initial)
        let faulty = StoreError.faultyRecord(
            repair: "the setting \(name) is no value; remove its key, and it is made anew")
        switch try await ask(RedisCommand(["SET", RedisKeys.setting(name), initial, "NX", "GET"]), faulty: faulty).first
        {
        case .null: return initial
        case .string(let value) where 1...StoreBounds.maximumSettingSize ~= value.count: return value
        case .string: throw faulty
        default: throw .unexpectedReply()
        }
    }
}
