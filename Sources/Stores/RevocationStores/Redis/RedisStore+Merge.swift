import GatewayCore
import Redis
package import Revocation

/// Merges of accounts. One script is the whole change: the links, the addresses, the records of the accounts and of the
/// source's user, and the message of the outbox. It lists the source as a deletion that is not complete, so that any
/// gateway completes what follows: other gateways are notified, and the list of sessions and a released address are
/// removed.
///
/// It is the only script of accounts that needs keys of several hash slots also without an outbox: each order of single
/// steps would let the two accounts disagree about an identity.
extension RedisStore {
    /// Merges an account into another one, or completes the merge.
    package func merge(_ source: UserKey, into target: UserKey) async throws(StoreError) -> AccountMerge {
        try StoreBounds.check(merging: source, into: target)
        // An account that the gateway created has neither.
        guard source.tenant == nil, source.project == nil else { return .sourceAbsent }
        guard target.tenant == nil, target.project == nil else { return .targetAbsent }
        return try await commands.run { () async throws(StoreError) in
            for _ in 0..<RedisAccountSteps.maximumRounds {
                let (links, email) = try await steps.settle(source, target)
                let revocation = try await steps.keepRevocation(of: source, links)
                let step = try await steps.merge(source, into: target, links, email, revocation)
                switch step.found {
                case "merged", "before":
                    try await steps.completeMerge(of: source, into: target, links)
                    return .merged(step.found == "merged" ? links : [], dropped: step.dropped)
                case "changed": continue
                case "no_source": return .sourceAbsent
                case "no_target": return .targetAbsent
                case "disabled": return .sourceDisabled
                case "firebase": return .firebase
                case "provider": return .providerTaken(step.provider)
                case "full": throw .tooManyLinks()
                default: throw .unexpectedReply()
                }
            }
            throw RedisAccountSteps.contended()
        }
    }

    /// Returns the account that a user's account was merged into, read from Redis.
    package func mergeTarget(of uid: UserKey) async throws(StoreError) -> UserKey? {
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in try await steps.mergeTarget(of: uid) }
    }
}

extension RedisAccountSteps {
    /// Completes interrupted steps of both accounts. Returns the links of the source in the order of their providers,
    /// and its address.
    fileprivate func settle(
        _ source: UserKey, _ target: UserKey
    ) async throws(StoreError) -> (links: [IdentityLink], email: String?) {
        for user in [source, target] {
            for link in try await stored(user).ending { try await finish(link, of: user) }
            for link in try await read(user).unheld { try await drop(link, of: user) }
        }
        let record = try await read(source).record
        let links = record.links.sorted { $0.key < $1.key }.map { IdentityLink(provider: $0.key, subject: $0.value) }
        return (links, record.email)
    }

    /// Revokes the credentials of the source's identities that are revoked with the source's user. They would be valid
    /// for the target otherwise. Returns the revocation as the script expects it: with a later one, it changes nothing.
    fileprivate func keepRevocation(of source: UserKey, _ links: [IdentityLink]) async throws(StoreError) -> String {
        let fields = try await commands.send(
            .hmget(RedisKeys.user(source), StoredUser.orderedFields), faulty: .userIsNoHash()
        ).fields(StoredUser.orderedFields.count)
        if let since = try StoredUser.ordered(fields[...]).credentialsSince {
            for link in links { try await revokeCredentials(of: link, before: since) }
        }
        return "\(fields[0].text ?? "") \(fields[3].text ?? "")"
    }

    /// Runs the script, and appends the changes to the stream in the same pipeline: if the connection failed between
    /// them, no gateway would learn of them. Entries without a change are harmless.
    fileprivate func merge(
        _ source: UserKey, into target: UserKey, _ links: [IdentityLink], _ email: String?, _ revocation: String
    ) async throws(StoreError) -> (found: String, provider: String, dropped: Int) {
        let policy = outbox.current
        let events = policy.map { $0.destinations.filter { $0 == OutboxMessage.webhook } } ?? []
        let messages = events.flatMap(RedisKeys.outbox)
        let keys =
            [RedisKeys.account(source)] + messages + [
                RedisKeys.account(target), RedisKeys.user(source), RedisKeys.user(target),
                Array(RedisKeys.deleting.utf8), email.map(RedisKeys.email) ?? RedisKeys.account(source),
            ] + links.map(RedisKeys.link)
        let facts = [
            "\(1 + messages.count)", "\(UnixTime(clamping: clock.now()))", source.name, target.name, email ?? "",
            "\(StoreBounds.maximumLinks)", "\(StoreBounds.maximumUnlinked)", "\(links.count)", revocation,
        ]
        let limit = policy?.limit(isDeletion: true) ?? 0
        let arguments =
            facts + links.flatMap { [$0.provider, $0.subject] } + [RandomText.name(), "\(limit)", source.uid, "", ""]
            + events
        let command =
            RedisScript.merge.command(keys: keys, arguments)
            + links.map { RedisChange.link($0, uid: target).command }
            .reduce(RedisChange.disabled(uid: source, true).command, +)
        let reply = try await commands.send(command, faulty: RedisAccount.faulty()).prefix(1)
        let fields = try Array(reply).fields(4)
        guard let found = fields[0].text, let provider = fields[1].text, case .integer(let added) = fields[2],
            case .integer(let dropped) = fields[3]
        else { throw .unexpectedReply() }
        outbox.record(added: Int(clamping: added), dropped: Int(clamping: dropped))
        return (found, provider, Int(clamping: dropped))
    }

    fileprivate func completeMerge(
        of source: UserKey, into target: UserKey, _ links: [IdentityLink]
    ) async throws(StoreError) {
        for link in links { linkGenerations.changed(link.name) }
        let time = try await deletionTime(of: source) ?? UnixTime(clamping: clock.now())
        // The entries of the stream may be missing if an earlier call was interrupted.
        _ = try await disableUser(source, at: time, unlessChangedFrom: nil)
        if links.isEmpty { try await announceLinks(of: target) }
        try await releaseLost(of: target)
        _ = try await deleteData(of: source, at: time)
    }

    /// Publishes the links of an account again.
    func announceLinks(of user: UserKey) async throws(StoreError) {
        for (provider, subject) in try await read(user).record.links {
            try await announce(IdentityLink(provider: provider, subject: subject), user)
        }
    }

    /// Returns the account that a user's account was merged into.
    func mergeTarget(of uid: UserKey) async throws(StoreError) -> UserKey? {
        let command = RedisCommand(["HGET", RedisKeys.account(uid), "merged_into"])
        return try Self.owner(await commands.send(command, faulty: RedisAccount.faulty()).first)
    }
}
