import Redis
package import Revocation

extension RedisStore: AccountStore {
    /// Whom an identity belongs to, read from Redis.
    package func owner(of link: IdentityLink) async throws(StoreError) -> UserKey? {
        try checkOpen()
        try StoreBounds.check(link)
        return try await run { () async throws(StoreError) in
            let owner = try await owner(at: RedisKeys.link(link))
            // The link may be among what Redis has lost: whom the identity names is not known then.
            guard owner != nil || !replica.status.loss.wentBack else {
                throw StoreError(.io, "Redis has lost changes, and links may be among them; POST /v1/store/accept")
            }
            return owner
        }
    }

    /// The account of a uid, read from Redis, with those of its links whose keys say so too.
    package func account(_ uid: UserKey) async throws(StoreError) -> AccountRecord? {
        try checkOpen()
        try StoreBounds.check(user: uid)
        return try await run { () async throws(StoreError) in
            let account = try await read(uid).record
            return account.saysAnything ? account : nil
        }
    }

    /// The uid of an address, read from Redis.
    package func uid(ofEmail email: String) async throws(StoreError) -> UserKey? {
        try checkOpen()
        try StoreBounds.check(email: email)
        return try await run { () async throws(StoreError) in try await holder(of: email) }
    }

    /// Links an identity to a uid: takes its key, lists it, and tells.
    package func claim(
        _ link: IdentityLink, for uid: UserKey, unlessUnlinked: Bool
    ) async throws(StoreError) -> LinkClaim {
        try checkOpen()
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        return try await run { () async throws(StoreError) in
            defer { linkGenerations.changed(link.name) }
            _ = try await stored(uid).record(uid, links: [:])
            switch try await hold(link, for: uid, unlessUnlinked ? .implicit : .explicit) {
            case .taken(let owner): return .taken(uid: owner)
            case .providerTaken: return .providerTaken
            case .unlinked: return .unlinked
            case .held(let isNew):
                try await tell(link, uid)
                let account = try await read(uid).record
                return isNew ? .linked(account) : .alreadyLinked(account)
            }
        }
    }

    /// Ends the link of a uid to a provider: marks it as ending, removes its key, and tells.
    package func release(provider: String, of uid: UserKey) async throws(StoreError) -> LinkRelease {
        try checkOpen()
        try StoreBounds.check(provider: provider)
        try StoreBounds.check(user: uid)
        return try await run { () async throws(StoreError) in
            // What is listed and not held would count as another link.
            for link in try await read(uid).unheld { try await drop(link, of: uid) }
            let (found, subject) = try await step(.unlink, provider, of: uid)
            switch found {
            case "absent": return .absent
            case "last": return .last
            case "ending":
                let link = IdentityLink(provider: provider, subject: subject)
                try await finish(link, of: uid)
                return .released(link, try await read(uid).record)
            default: throw .unexpectedReply()
            }
        }
    }

    /// Ends all links of an account, also of one whose other fields are faulty.
    @discardableResult
    package func releaseAll(
        of uid: UserKey, for successor: IdentityLink?
    ) async throws(StoreError) -> [IdentityLink] {
        try checkOpen()
        try StoreBounds.check(user: uid)
        return try await run { () async throws(StoreError) in
            var released: [IdentityLink] = []
            // Ends of links that were begun before hide others of the same provider for one round.
            for _ in 0..<Self.maximumRounds {
                let links = try await unlinkAll(of: uid, for: successor)
                if links.isEmpty { return released }
                for link in links { try await finish(link, of: uid) }
                released += links.filter { !released.contains($0) }
            }
            throw Self.contended()
        }
    }

    private func unlinkAll(
        of uid: UserKey, for successor: IdentityLink?
    ) async throws(StoreError) -> [IdentityLink] {
        let command = RedisScript.unlinkAll.command(
            RedisKeys.account(uid), [successor?.provider ?? "", successor?.subject ?? ""])
        guard case .array(let words)? = try await send(command, faulty: RedisAccount.faulty()).first,
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

    /// An account's hash.
    func stored(_ uid: UserKey) async throws(StoreError) -> RedisAccount {
        try RedisAccount(
            await send(RedisCommand(["HGETALL", RedisKeys.account(uid)]), faulty: RedisAccount.faulty()).first)
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
        let commands = links.map { RedisCommand(["GET", RedisKeys.link($0)]) }
        guard let first = commands.first else { return [] }
        let replies = try await send(commands.dropFirst().reduce(first, +), faulty: RedisAccount.faultyOwner())
        guard replies.count == links.count else { throw .unexpectedReply() }
        return try replies.map { reply throws(StoreError) in try Self.owner(reply) }
    }
}
