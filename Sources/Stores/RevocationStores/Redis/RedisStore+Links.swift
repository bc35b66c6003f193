import Redis
import Revocation

/// The steps of links. The key of a link decides whose it is; the account's hash lists it. Each command touches one key, so they are never changed
/// together: whatever stops between two steps, the next who comes by finds it and finishes it.
extension RedisStore {
    /// What became of an identity that was to be held.
    enum Hold: Equatable {
        case held(isNew: Bool)
        case taken(uid: UserKey)
        case providerTaken
        /// It was unlinked from the account, or may have been.
        case unlinked
    }

    /// How often steps begin anew when others change the same account meanwhile.
    static let maximumRounds = 16

    /// Makes an identity a uid's own and lists it.
    func hold(
        _ link: IdentityLink, for uid: UserKey, _ listing: RedisScript.Listing
    ) async throws(StoreError) -> Hold {
        var isNew = false
        for _ in 0..<Self.maximumRounds {
            let owner = try await take(RedisKeys.link(link), for: uid)
            if let owner, owner != uid { return .taken(uid: owner) }
            let (found, subject) = try await list(link, of: uid, listing)
            isNew = isNew || owner == nil || found == "new"
            let other = IdentityLink(provider: link.provider, subject: subject)
            switch found {
            case "new", "listed":
                // Who ended the link meanwhile may have removed the key after it was taken.
                if try await isHeld(link, by: uid) { return .held(isNew: isNew) }
                try await drop(link, of: uid)
            case "ending": try await finish(other, of: uid)
            case "other" where try await isHeld(other, by: uid):
                try await finish(link, of: uid)
                return .providerTaken
            case "other": try await drop(other, of: uid)
            case "unlinked":
                try await finish(link, of: uid)
                return .unlinked
            case "full":
                try await finish(link, of: uid)
                throw .tooManyLinks()
            default: throw .unexpectedReply()
            }
        }
        throw Self.contended()
    }

    /// Removes the key of a link that is not listed, ends the sessions that the identity began, and tells of it. Addresses go first that the account
    /// lost with the link.
    ///
    /// The sessions are ended before the key is removed, so that none goes on where this stops in between, and after it: a sign-in looks at the key
    /// after it began a session, and so either finds the key gone or is among those that are ended then.
    func finish(_ link: IdentityLink, of uid: UserKey) async throws(StoreError) {
        defer { linkGenerations.changed(link.name) }
        for email in try await stored(uid).releasing { try await giveUp(email, of: uid) }
        try await endSessions(of: link)
        try await give(RedisKeys.link(link), of: uid)
        try await endSessions(of: link)
        let reply = try await send(
            RedisScript.unlinked.command(RedisKeys.account(uid), [link.provider, link.subject])
                + RedisChange.link(link, uid: nil).command, faulty: RedisAccount.faulty())
        // Somebody linked it again, and the key that they found or made may be the one that was just removed.
        if reply.first == .integer(1) { try await restore(link, of: uid) }
    }

    /// Gives a listed link its key again, unless it is another one's or no longer listed.
    ///
    /// Who removes the key meanwhile looks at the list after that, as `finish` does, and so comes here again.
    private func restore(_ link: IdentityLink, of uid: UserKey) async throws(StoreError) {
        if let owner = try await take(RedisKeys.link(link), for: uid), owner != uid {
            return try await drop(link, of: uid)
        }
        let (found, subject) = try await list(link, of: uid, .again)
        let isListed = found == "new" || found == "listed"
        if !isListed || !subject.isExactly(link.subject) { try await give(RedisKeys.link(link), of: uid) }
        try await tell(link, isListed ? uid : nil)
    }

    private func list(
        _ link: IdentityLink, of uid: UserKey, _ listing: RedisScript.Listing
    ) async throws(StoreError) -> (found: String, subject: String) {
        try await step(
            .list, link.provider, link.subject, "\(StoreBounds.maximumLinks)", listing.rawValue, of: uid)
    }

    /// Takes a link off the list that was not held, unless it is by now.
    func drop(_ link: IdentityLink, of uid: UserKey) async throws(StoreError) {
        _ = try await send(
            RedisScript.unlist.command(RedisKeys.account(uid), [link.provider, link.subject]),
            faulty: RedisAccount.faulty())
        guard try await isHeld(link, by: uid) else { return }
        if try await list(link, of: uid, .again).found == "unlinked" { try await finish(link, of: uid) }
    }

    /// Tells all gateways that a link is of this uid, or of nobody.
    func tell(_ link: IdentityLink, _ uid: UserKey?) async throws(StoreError) {
        linkGenerations.changed(link.name)
        _ = try await send(RedisChange.link(link, uid: uid).command, faulty: nil)
    }

    /// Runs a script on an account whose answer are two words.
    func step(
        _ script: RedisScript, _ arguments: String..., of uid: UserKey
    ) async throws(StoreError) -> (found: String, subject: String) {
        let replies = try await send(
            script.command(RedisKeys.account(uid), arguments), faulty: RedisAccount.faulty())
        let fields = try replies.fields(2)
        guard let found = fields[0].text else { throw .unexpectedReply() }
        guard let subject = fields[1].text else { throw RedisAccount.faulty() }
        return (found, subject)
    }

    static func contended() -> StoreError {
        StoreError(.io, "the account is being changed by others; repeating it is safe")
    }
}

// MARK: - Keys that hold a uid

extension RedisStore {
    /// The uid that a key holds.
    func owner(at key: [UInt8]) async throws(StoreError) -> UserKey? {
        try Self.owner(await send(RedisCommand(["GET", key]), faulty: RedisAccount.faultyOwner()).first)
    }

    /// Makes a key hold a uid, if it holds none; the one that it held.
    func take(_ key: [UInt8], for uid: UserKey) async throws(StoreError) -> UserKey? {
        let command = RedisCommand(["SET", key, uid.name, "NX", "GET"])
        return try Self.owner(await send(command, faulty: RedisAccount.faultyOwner()).first)
    }

    /// Removes a key that holds this uid.
    func give(_ key: [UInt8], of uid: UserKey) async throws(StoreError) {
        _ = try await send(RedisScript.give.command(key, [uid.name]), faulty: RedisAccount.faultyOwner())
    }

    func isHeld(_ link: IdentityLink, by uid: UserKey) async throws(StoreError) -> Bool {
        try await owner(at: RedisKeys.link(link)) == uid
    }

    static func owner(_ reply: RedisValue?) throws(StoreError) -> UserKey? {
        switch reply {
        case .null: return nil
        case .string(let bytes):
            guard let user = String(validating: bytes, as: UTF8.self).map(UserKey.init(name:)),
                (try? StoreBounds.check(user: user)) != nil
            else { throw RedisAccount.faultyOwner() }
            return user
        default: throw .unexpectedReply()
        }
    }
}
