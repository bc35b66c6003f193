import GatewayCore
import Redis
import Revocation

/// The steps of account operations, inside of `RedisCommands.run`.
///
/// Links: the key of a link decides which user it belongs to, and the account's hash lists it. Each command touches
/// one key, so the two never change together. After an interruption between two steps, the next operation on the
/// account completes them.
///
/// Addresses: the key of an address decides which account it belongs to, and the account's hash contains the address.
/// The field `releasing:EMAIL` means that the key may name an account that does not have the address. The next
/// gateway that finds both removes the key. If the account had the address, this gateway first ends the sessions of the
/// account's user.
struct RedisAccountSteps: Sendable {
    let commands: RedisCommands
    let linkGenerations: LinkGenerations
    let outbox: OutboxSwitch
    let clock: GatewayClock

    /// The result of holding an identity.
    enum Hold: Equatable {
        case held(isNew: Bool)
        case taken(uid: UserKey)
        case providerTaken
        /// The identity was, or may have been, unlinked from the account.
        case unlinked
        /// The account is deleted.
        case deleted
    }

    /// The maximum number of attempts when other gateways change the same account concurrently.
    static let maximumRounds = 16

    /// Takes the key of an identity for a user and lists the link. `evidence` is the reason of a link from Firebase.
    func hold(
        _ link: IdentityLink, for uid: UserKey, _ listing: RedisScript.Listing, evidence: FirebaseEvidence? = nil
    ) async throws(StoreError) -> Hold {
        var isNew = false
        for _ in 0..<Self.maximumRounds {
            let owner = try await take(RedisKeys.link(link), for: uid)
            if let owner, owner != uid { return .taken(uid: owner) }
            let (found, subject) = try await list(link, of: uid, listing, evidence)
            isNew = isNew || owner == nil || found == "new"
            let other = IdentityLink(provider: link.provider, subject: subject)
            switch found {
            case "new", "listed":
                // A concurrent unlink may have removed the key after it was taken.
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
            case "deleted":
                try await finish(link, of: uid)
                return .deleted
            case "full":
                try await finish(link, of: uid)
                throw .tooManyLinks()
            default: throw .unexpectedReply()
            }
        }
        throw Self.contended()
    }

    /// Removes the key of an unlisted link, ends the sessions that the identity began, and publishes the change.
    /// First it releases the addresses that the account lost with the link. If the account is deleted, all credentials
    /// of the identity from before the deletion, or from the same second, end instead.
    ///
    /// Sessions are ended before the key is removed, so that an interruption leaves no session behind, and again
    /// afterwards. A sign-in checks the key after it has begun a session, so either it finds no key, or the second
    /// pass ends its session.
    ///
    /// - Parameter start: The start of the caller's session, which continues if the account lost an address.
    /// - Returns: The lost address. `nil` if the account lost none.
    @discardableResult
    func finish(
        _ link: IdentityLink, of uid: UserKey, keeping start: UnixTime? = nil
    ) async throws(StoreError) -> LostAddress? {
        defer { linkGenerations.changed(link.name) }
        let account = try await stored(uid)
        var lost: LostAddress?
        // The caller's next session omits one address. If an earlier loss was interrupted too, its session ends.
        let start = account.lost.count > 1 ? nil : start
        for email in account.releasing {
            let restarted = try await releaseEmail(email, of: uid, keeping: start)
            if account.lost.contains(email) { lost = LostAddress(email: email, restarted: restarted) }
        }
        try await endSessions(of: link, deletedAt: account.deletionTime)
        try await deleteKey(RedisKeys.link(link), of: uid)
        try await endSessions(of: link, deletedAt: account.deletionTime)
        let reply = try await commands.send(
            RedisScript.unlinked.command(
                RedisKeys.account(uid), [link.provider, link.subject, account.deletionTime == nil ? "" : "deleted"])
                + RedisChange.link(link, uid: nil).command, faulty: RedisAccount.faulty())
        // The identity was linked again meanwhile, and the removed key may belong to the new link.
        if reply.first == .integer(1) { try await restore(link, of: uid) }
        return lost
    }

    /// Restores the key of a listed link, unless it belongs to another account or the link is no longer listed.
    ///
    /// A concurrent removal of the key checks the list afterwards, as `finish` does, and calls this method again.
    private func restore(_ link: IdentityLink, of uid: UserKey) async throws(StoreError) {
        if let owner = try await take(RedisKeys.link(link), for: uid), owner != uid {
            return try await drop(link, of: uid)
        }
        let (found, subject) = try await list(link, of: uid, .again)
        let isListed = found == "new" || found == "listed"
        if !isListed || !subject.isExactly(link.subject) { try await deleteKey(RedisKeys.link(link), of: uid) }
        try await announce(link, isListed ? uid : nil)
    }

    private func list(
        _ link: IdentityLink, of uid: UserKey, _ listing: RedisScript.Listing, _ evidence: FirebaseEvidence? = nil
    ) async throws(StoreError) -> (found: String, subject: String) {
        try await step(
            .list, link.provider, link.subject, "\(StoreBounds.maximumLinks)", listing.rawValue,
            evidence?.text ?? "", of: uid)
    }

    /// Removes a link that is not held from the list. If it is held by now, it is listed again.
    func drop(_ link: IdentityLink, of uid: UserKey) async throws(StoreError) {
        _ = try await commands.send(
            RedisScript.unlist.command(RedisKeys.account(uid), [link.provider, link.subject]),
            faulty: RedisAccount.faulty())
        guard try await isHeld(link, by: uid) else { return }
        let found = try await list(link, of: uid, .again).found
        if found == "unlinked" || found == "deleted" { try await finish(link, of: uid) }
    }

    /// Publishes to all gateways that a link belongs to this user, or to no user.
    func announce(_ link: IdentityLink, _ uid: UserKey?) async throws(StoreError) {
        linkGenerations.changed(link.name)
        _ = try await commands.send(RedisChange.link(link, uid: uid).command, faulty: nil)
    }

    /// Runs a script on an account that returns two strings.
    func step(
        _ script: RedisScript, _ arguments: String..., of uid: UserKey
    ) async throws(StoreError) -> (found: String, subject: String) {
        let replies = try await commands.send(
            script.command(RedisKeys.account(uid), arguments), faulty: RedisAccount.faulty())
        let fields = try replies.fields(2)
        guard let found = fields[0].text else { throw .unexpectedReply() }
        guard let subject = fields[1].text else { throw RedisAccount.faulty() }
        return (found, subject)
    }

    static func contended() -> StoreError {
        StoreError(.io, "the account is being changed concurrently; the operation can be repeated")
    }

    func unlinkAll(
        of uid: UserKey, for successor: IdentityLink?
    ) async throws(StoreError) -> [IdentityLink] {
        try Self.links(
            in: await remove(.unlinkAll, [successor?.provider ?? "", successor?.subject ?? ""], of: uid).fields)
    }

    /// Begins the removal of the link to a provider. `arguments` are those of `script`, beginning with the provider.
    func unlink(
        _ script: RedisScript, _ arguments: String..., of uid: UserKey
    ) async throws(StoreError) -> (found: String, subject: String, dropped: Int) {
        let (fields, dropped) = try await remove(script, arguments, of: uid, provider: arguments.first)
        guard fields.count == 2, let found = fields[0].text else { throw .unexpectedReply() }
        guard let subject = fields[1].text else { throw RedisAccount.faulty() }
        return (found, subject, dropped)
    }

    /// Parses the providers and subjects of links, alternating.
    static func links(in fields: [RedisValue]) throws(StoreError) -> [IdentityLink] {
        guard fields.count.isMultiple(of: 2) else { throw .unexpectedReply() }
        var links: [IdentityLink] = []
        for index in stride(from: 0, to: fields.count, by: 2) {
            guard let provider = fields[index].text, let subject = fields[index + 1].text else {
                throw RedisAccount.faulty()
            }
            links.append(IdentityLink(provider: provider, subject: subject))
        }
        return links
    }

    /// Revokes the sessions that an identity began, and waits until the view shows it.
    ///
    /// - Parameter deletedAt: The time of the deletion. All credentials of the identity from that second or before end.
    ///   Later sessions, which may belong to the identity's next account, continue: the user's record ends those of the
    ///   deleted account. If `nil`, all sessions end, and no other credential.
    func endSessions(of link: IdentityLink, deletedAt: UnixTime? = nil) async throws(StoreError) {
        try await revoke(link, deletedAt.map { ["\($0.adding(1))", ""] } ?? ["\(clock.now())", "sessions"])
    }

    /// Revokes the credentials of an identity from before a time, and waits until the view shows it.
    func revokeCredentials(of link: IdentityLink, before time: UnixTime) async throws(StoreError) {
        try await revoke(link, ["\(time)", ""])
    }

    private func revoke(_ link: IdentityLink, _ arguments: [String]) async throws(StoreError) {
        // A longer name is not a valid user, so it has no sessions.
        guard (try? StoreBounds.check(user: UserKey(link))) != nil else { return }
        let command = RedisScript.revoke.command(RedisKeys.user(UserKey(link)), arguments)
        let replies = try await commands.send(command, faulty: .userIsNoHash())
        try await publish(try StoredUser(fieldsOf: replies), of: UserKey(link))
    }

    /// Ends the sessions of a user, and waits until the view shows it.
    ///
    /// - Parameter start: The start of a session that continues, unless it has ended or the user is disabled.
    /// - Returns: The new start of that session. `nil` if it does not continue.
    func endSessions(of uid: UserKey, keeping start: UnixTime?) async throws(StoreError) -> UnixTime? {
        let now = UnixTime(clamping: clock.now())
        // If the connection failed between the two, no gateway would learn of the change.
        let command =
            RedisScript.endSessions.command(RedisKeys.user(uid), ["\(now)", start.map { "\($0)" } ?? ""])
            + RedisChange.validSince(uid: uid, now).command
        let replies = try await commands.send(command, faulty: .userIsNoHash())
        guard replies.count == 2, case .string(let bytes) = replies[1], let entry = ReplicaStreamID(parsing: bytes)
        else { throw .unexpectedReply() }
        let fields = try Array(replies.prefix(1)).fields(3)
        let user = try StoredUser(fieldsOf: [.array(Array(fields.prefix(2)))])
        // A user with a faulty record is denied in any case.
        if user.validSince.value != nil { await commands.show(user.word, of: ReplicaKey(uid), at: entry) }
        return StoredField<UnixTime?>(time: fields[2]).value ?? nil
    }

    private func publish(_ user: StoredUser, of uid: UserKey) async throws(StoreError) {
        // A user with a faulty record is denied in any case.
        guard let validSince = user.validSince.value ?? nil else { return }
        let change = RedisChange.validSince(uid: uid, validSince)
        guard case .string(let bytes)? = try await commands.send(change.command, faulty: nil).first,
            let entry = ReplicaStreamID(parsing: bytes)
        else { throw .unexpectedReply() }
        await commands.show(user.word, of: ReplicaKey(uid), at: entry)
    }
}

// MARK: - Accounts

extension RedisAccountSteps {
    /// Reads the hash of an account.
    func stored(_ uid: UserKey) async throws(StoreError) -> RedisAccount {
        try RedisAccount(
            await commands.send(RedisCommand(["HGETALL", RedisKeys.account(uid)]), faulty: RedisAccount.faulty()).first)
    }

    /// Reads an account with the links that it holds, and the links that are only listed.
    func read(_ uid: UserKey) async throws(StoreError) -> (record: AccountRecord, unheld: [IdentityLink]) {
        let account = try await stored(uid)
        // This checks the number of links before they are looked up.
        _ = try account.record(uid, links: [:])
        let links = account.listed.map { IdentityLink(provider: $0.key, subject: $0.value) }
        let owners = try await owners(of: links)
        var held: [String: String] = [:]
        var unheld: [IdentityLink] = []
        for (link, owner) in zip(links, owners) {
            if owner == uid { held[link.provider] = link.subject } else { unheld.append(link) }
        }
        return (try account.record(uid, links: held), unheld)
    }

    private func owners(of links: [IdentityLink]) async throws(StoreError) -> [UserKey?] {
        let reads = links.map { RedisCommand(["GET", RedisKeys.link($0)]) }
        guard let first = reads.first else { return [] }
        let replies = try await commands.send(reads.dropFirst().reduce(first, +), faulty: RedisAccount.faultyOwner())
        guard replies.count == links.count else { throw .unexpectedReply() }
        return try replies.map { reply throws(StoreError) in try Self.owner(reply) }
    }

    func create(_ account: AccountRecord, _ link: IdentityLink) async throws(StoreError) {
        let command = RedisScript.create.command(
            RedisKeys.account(account.user), [link.provider, link.subject] + RedisAccount.fields(account))
        guard try await commands.send(command, faulty: RedisAccount.faulty()) == [.integer(1)] else {
            throw .invalidAccount("the uid of the new account belongs to another account")
        }
    }

    func abandon(
        _ uid: UserKey, _ link: IdentityLink, email: String?, _ outcome: AccountCreation
    ) async throws(StoreError) -> AccountCreation {
        let command = RedisScript.abandon.command(RedisKeys.account(uid), [link.provider, link.subject])
        let isGone = try await commands.send(command, faulty: RedisAccount.faulty()) == [.integer(1)]
        if isGone, let email { try await deleteKey(RedisKeys.email(email), of: uid) }
        return outcome
    }

    /// Takes an address for a new account. Returns the result of the creation if the address is taken, `nil` otherwise.
    func takeEmail(
        _ email: String, of uid: UserKey, _ link: IdentityLink
    ) async throws(StoreError) -> AccountCreation? {
        guard let owner = try await takeEmail(email, of: uid) else { return nil }
        let account = try await stored(owner)
        // Another creation for the same identity was interrupted or is in progress. Its account is the one to use.
        if account.listed[link.provider]?.isExactly(link.subject) == true,
            case .held = try await hold(link, for: owner, .implicit)
        {
            try await announce(link, owner)
            return .linkTaken(uid: owner)
        }
        if let taken = try await self.owner(at: RedisKeys.link(link)) { return .linkTaken(uid: taken) }
        return .emailTaken(uid: owner)
    }

    /// Takes an address. Returns its owner if it belongs to another account, `nil` otherwise.
    ///
    /// The hash of an account that the gateway creates contains the address before the key is taken. If the hash does
    /// not contain it, a rollback of the creation was interrupted.
    func takeEmail(_ email: String, of uid: UserKey) async throws(StoreError) -> UserKey? {
        let key = RedisKeys.email(email)
        for _ in 0..<Self.maximumRounds {
            guard let owner = try await take(key, for: uid), owner != uid else { return nil }
            guard try await isReleasing(email, by: owner) else { return owner }
            try await releaseEmail(email, of: owner)
        }
        throw Self.contended()
    }
}

// MARK: - Keys with a uid

extension RedisAccountSteps {
    /// Returns the uid in a key.
    func owner(at key: [UInt8]) async throws(StoreError) -> UserKey? {
        try Self.owner(await commands.send(RedisCommand(["GET", key]), faulty: RedisAccount.faultyOwner()).first)
    }

    /// Sets a key to a uid unless it has one. Returns the previous uid.
    func take(_ key: [UInt8], for uid: UserKey) async throws(StoreError) -> UserKey? {
        let command = RedisCommand(["SET", key, uid.name, "NX", "GET"])
        return try Self.owner(await commands.send(command, faulty: RedisAccount.faultyOwner()).first)
    }

    /// Removes a key that contains this uid.
    func deleteKey(_ key: [UInt8], of uid: UserKey) async throws(StoreError) {
        _ = try await commands.send(
            RedisScript.deleteIfEqual.command(key, [uid.name]), faulty: RedisAccount.faultyOwner())
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
