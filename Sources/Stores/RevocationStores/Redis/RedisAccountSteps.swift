import GatewayCore
import Redis
import Revocation

/// The steps that operations on accounts are made of, inside of `RedisCommands.run`.
///
/// Links: The key of a link decides whose it is; the account's hash lists it. Each command touches one key, so they are never changed
/// together: whatever stops between two steps, the next who comes by finds it and finishes it.
///
/// Addresses: The key of an address decides whose it is, and the account's hash has the address. `releasing:EMAIL` in the hash says that
/// the key may name the account although the account does not have the address: the next gateway that finds both removes the key.
struct RedisAccountSteps: Sendable {
    let commands: RedisCommands
    let linkGenerations: LinkGenerations
    let clock: GatewayClock

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
        let reply = try await commands.send(
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
        try await announce(link, isListed ? uid : nil)
    }

    private func list(
        _ link: IdentityLink, of uid: UserKey, _ listing: RedisScript.Listing
    ) async throws(StoreError) -> (found: String, subject: String) {
        try await step(
            .list, link.provider, link.subject, "\(StoreBounds.maximumLinks)", listing.rawValue, of: uid)
    }

    /// Takes a link off the list that was not held, unless it is by now.
    func drop(_ link: IdentityLink, of uid: UserKey) async throws(StoreError) {
        _ = try await commands.send(
            RedisScript.unlist.command(RedisKeys.account(uid), [link.provider, link.subject]),
            faulty: RedisAccount.faulty())
        guard try await isHeld(link, by: uid) else { return }
        if try await list(link, of: uid, .again).found == "unlinked" { try await finish(link, of: uid) }
    }

    /// Announces to all gateways that a link belongs to this uid, or to no uid.
    func announce(_ link: IdentityLink, _ uid: UserKey?) async throws(StoreError) {
        linkGenerations.changed(link.name)
        _ = try await commands.send(RedisChange.link(link, uid: uid).command, faulty: nil)
    }

    /// Runs a script on an account whose answer are two words.
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
        StoreError(.io, "the account is being changed by others; repeating it is safe")
    }

    func unlinkAll(
        of uid: UserKey, for successor: IdentityLink?
    ) async throws(StoreError) -> [IdentityLink] {
        let command = RedisScript.unlinkAll.command(
            RedisKeys.account(uid), [successor?.provider ?? "", successor?.subject ?? ""])
        guard case .array(let words)? = try await commands.send(command, faulty: RedisAccount.faulty()).first,
            words.count.isMultiple(of: 2)
        else { throw .unexpectedReply() }
        var links: [IdentityLink] = []
        for index in stride(from: 0, to: words.count, by: 2) {
            guard let provider = words[index].text, let subject = words[index + 1].text else {
                throw RedisAccount.faulty()
            }
            links.append(IdentityLink(provider: provider, subject: subject))
        }
        return links
    }

    /// Revokes the sessions that an identity began, and shows that in the view.
    func endSessions(of link: IdentityLink) async throws(StoreError) {
        // A longer name is no user's, and began no session.
        guard (try? StoreBounds.check(user: UserKey(link))) != nil else { return }
        let now = clock.now()
        let command = RedisScript.revoke.command(RedisKeys.user(UserKey(link)), ["\(now)", "sessions"])
        let user = try StoredUser(fieldsOf: try await commands.send(command, faulty: .userIsNoHash()))
        // A faulty record lets nobody pass.
        guard let validSince = user.validSince.value ?? nil else { return }
        let change = RedisChange.validSince(uid: UserKey(link), validSince)
        guard case .string(let bytes)? = try await commands.send(change.command, faulty: nil).first,
            let entry = ReplicaStreamID(parsing: bytes)
        else { throw .unexpectedReply() }
        _ = await commands.progress.wait(for: entry, atMost: RedisCommands.visibilityLimit)
    }
}

// MARK: - Accounts

extension RedisAccountSteps {
    /// An account's hash.
    func stored(_ uid: UserKey) async throws(StoreError) -> RedisAccount {
        try RedisAccount(
            await commands.send(RedisCommand(["HGETALL", RedisKeys.account(uid)]), faulty: RedisAccount.faulty()).first)
    }

    /// An account with the links that it holds, and those that it only lists.
    func read(_ uid: UserKey) async throws(StoreError) -> (record: AccountRecord, unheld: [IdentityLink]) {
        let account = try await stored(uid)
        // It bounds the links.
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
            throw .invalidAccount("the uid of a new account is another one's")
        }
    }

    func abandon(
        _ uid: UserKey, _ link: IdentityLink, email: String?, _ answer: AccountCreation
    ) async throws(StoreError) -> AccountCreation {
        let command = RedisScript.abandon.command(RedisKeys.account(uid), [link.provider, link.subject])
        let isGone = try await commands.send(command, faulty: RedisAccount.faulty()) == [.integer(1)]
        if isGone, let email { try await give(RedisKeys.email(email), of: uid) }
        return answer
    }

    /// Takes an address for an account that is being made; what to answer where it cannot have it.
    func takeEmail(
        _ email: String, of uid: UserKey, _ link: IdentityLink
    ) async throws(StoreError) -> AccountCreation? {
        guard let owner = try await takeEmail(email, of: uid) else { return nil }
        let account = try await stored(owner)
        // Making that account for this very identity stopped, or goes on now: either way it is the one.
        if account.listed[link.provider]?.isExactly(link.subject) == true,
            case .held = try await hold(link, for: owner, .implicit)
        {
            try await announce(link, owner)
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
}

// MARK: - Addresses

extension RedisAccountSteps {
    /// Takes the key of an address before the account has the address.
    ///
    /// - Returns: false where it is another account's.
    func reserve(_ email: String, for uid: UserKey) async throws(StoreError) -> Bool {
        _ = try await commands.send(
            RedisScript.expectEmail.command(RedisKeys.account(uid), [email]), faulty: RedisAccount.faulty())
        guard try await takeEmail(email, of: uid) != nil else { return true }
        _ = try await commands.send(
            RedisScript.released.command(RedisKeys.account(uid), [email]), faulty: RedisAccount.faulty())
        return false
    }

    /// The uid of an address. An address that an account has lost is nobody's.
    func holder(of email: String) async throws(StoreError) -> UserKey? {
        let key = RedisKeys.email(email)
        for _ in 0..<Self.maximumRounds {
            guard let owner = try await owner(at: key) else { return nil }
            guard try await isReleasing(email, by: owner) else { return owner }
            try await giveUp(email, of: owner)
        }
        throw Self.contended()
    }

    /// Whether an account whose uid the key of an address holds does not have the address: it lost it, or is about to claim it. The hash of a user
    /// who was not made here need not tell the address.
    func isReleasing(_ email: String, by uid: UserKey) async throws(StoreError) -> Bool {
        let command = RedisCommand.hmget(RedisKeys.account(uid), ["releasing:\(email)", "email"])
        let fields = try await commands.send(command, faulty: RedisAccount.faulty()).fields(2)
        if fields[0].text != nil { return true }
        guard let own = fields[1].text else { return AccountRecord.isMadeHere(uid) }
        return !own.isExactly(email)
    }

    /// Removes the key of an address that an account had, unless it has it again.
    func giveUp(_ email: String, of uid: UserKey) async throws(StoreError) {
        try await give(RedisKeys.email(email), of: uid)
        let reply = try await commands.send(
            RedisScript.released.command(RedisKeys.account(uid), [email]), faulty: RedisAccount.faulty())
        if reply.first == .integer(1) { _ = try await keepKey(of: email, for: uid) }
    }

    /// Makes the key of an address that an account has name the account: whoever gave the address up meanwhile may have removed it.
    ///
    /// - Returns: false where it is another account's by now, or the account has lost the address again.
    func keepKey(of email: String, for uid: UserKey) async throws(StoreError) -> Bool {
        let key = RedisKeys.email(email)
        guard let owner = try await take(key, for: uid) else {
            let command = RedisCommand(["HGET", RedisKeys.account(uid), "email"])
            let now = try await commands.send(command, faulty: RedisAccount.faulty()).first?.text
            if now?.isExactly(email) == true { return true }
            try await give(key, of: uid)
            return false
        }
        if owner == uid { return true }
        _ = try await commands.send(
            RedisScript.dropEmail.command(RedisKeys.account(uid), [email]), faulty: RedisAccount.faulty())
        return false
    }
}

// MARK: - Keys that hold a uid

extension RedisAccountSteps {
    /// The uid that a key holds.
    func owner(at key: [UInt8]) async throws(StoreError) -> UserKey? {
        try Self.owner(await commands.send(RedisCommand(["GET", key]), faulty: RedisAccount.faultyOwner()).first)
    }

    /// Makes a key hold a uid, if it holds none; the one that it held.
    func take(_ key: [UInt8], for uid: UserKey) async throws(StoreError) -> UserKey? {
        let command = RedisCommand(["SET", key, uid.name, "NX", "GET"])
        return try Self.owner(await commands.send(command, faulty: RedisAccount.faultyOwner()).first)
    }

    /// Removes a key that holds this uid.
    func give(_ key: [UInt8], of uid: UserKey) async throws(StoreError) {
        _ = try await commands.send(RedisScript.give.command(key, [uid.name]), faulty: RedisAccount.faultyOwner())
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
