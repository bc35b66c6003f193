import GatewayCore
import Logging
import Redis
package import Revocation

/// The outbox, in keys of its own for each destination. With an outbox, the removal of an identity and its messages are
/// one script on keys of several hash slots; every other script uses keys of one slot.
extension RedisStore: OutboxStore {
    /// Keeps a sealed token in the account's hash.
    package func keepToken(
        _ token: KeptToken, of link: IdentityLink, for user: UserKey
    ) async throws(StoreError) {
        try StoreBounds.check(link)
        try StoreBounds.check(user: user)
        let command = RedisScript.keepToken.command(
            RedisKeys.account(user), [link.provider, link.subject, token.text])
        _ = try await commands.query(command, faulty: RedisAccount.faulty())
    }

    /// Counts a removal in a key that expires.
    package func countRemoval(by user: UserKey) async throws(StoreError) -> Bool {
        try StoreBounds.check(user: user)
        return try await count(
            RedisKeys.removals(user), limit: OutboxSwitch.removalsPerDay, period: OutboxSwitch.removalPeriod)
    }

    /// Counts a link in a key that expires.
    package func countLink(to email: String) async throws(StoreError) -> Bool {
        try StoreBounds.check(email: email)
        return try await count(
            RedisKeys.links(to: email), limit: OutboxSwitch.linksPerHour, period: OutboxSwitch.linkPeriod)
    }

    /// Counts an event in a period. Returns whether its number is within a limit.
    private func count(_ key: [UInt8], limit: Int, period: Int64) async throws(StoreError) -> Bool {
        let command = RedisScript.countInPeriod.command(key, ["\(period)", "\(limit + 1)"])
        let faulty = StoreError.faultyRecord(repair: "the key of the count has the wrong type; remove it")
        return try Self.count(await commands.query(command, faulty: faulty)) <= limit
    }

    /// Acquires or renews the lease, which Redis ends.
    package func pollOutbox(
        of destination: String, by holder: String, lease: Int64, limit: Int
    ) async throws(StoreError) -> OutboxPoll {
        let names = RedisKeys.outboxDestinations
        let poll = RedisScript.pollOutbox.command(
            keys: RedisKeys.outbox(destination) + [RedisKeys.outboxLease(destination)],
            [holder, "\(lease * 1000)", "\(limit)", "\(OutboxSwitch.retention)"])
        let replies = try await commands.query(
            RedisCommand(["HSET", names, destination, "1"]) + RedisCommand(["HKEYS", names]) + poll,
            faulty: Self.faultyOutbox())
        guard replies.count == 3, case .array(let known) = replies[1], case .array(let fields) = replies[2],
            fields.count >= 5,
            case .integer(let isHolder) = fields[0], case .integer(let now) = fields[1],
            case .integer(let count) = fields[2], case .integer(let parked) = fields[3],
            case .integer(let age) = fields[4]
        else { throw .unexpectedReply() }
        return OutboxPoll(
            isHolder: isHolder == 1, messages: try await messages(fields.dropFirst(5), of: destination),
            now: UnixTime(clamping: now), count: Int(clamping: count), age: age < 0 ? nil : age,
            parked: Int(clamping: parked), destinations: Set(known.compactMap(\.text)))
    }

    /// Removes a message.
    package func removeMessage(_ message: OutboxMessage) async throws(StoreError) {
        try await change(.removeMessage, message)
    }

    /// Makes a waiting message due later.
    package func postponeMessage(_ message: OutboxMessage, by seconds: Int64) async throws(StoreError) {
        try await change(.postponeMessage, message, "\(seconds)")
    }

    /// Parks a waiting message.
    package func parkMessage(
        _ message: OutboxMessage, for reason: ParkedMessage.Reason
    ) async throws(StoreError) {
        try await change(.parkMessage, message, reason.rawValue)
    }

    /// Releases the lease, if the caller has it.
    package func releaseOutbox(of destination: String, by holder: String) async throws(StoreError) {
        _ = try await commands.query(
            RedisScript.deleteIfEqual.command(RedisKeys.outboxLease(destination), [holder]))
    }

    /// Returns parked messages, oldest first.
    package func parkedMessages(of destination: String, limit: Int) async throws(StoreError) -> [ParkedMessage] {
        let command = RedisCommand(["ZRANGE", RedisKeys.outbox(destination)[2], 0, limit - 1])
        guard case .array(let fields)? = try await commands.query(command, faulty: Self.faultyOutbox()).first else {
            throw .unexpectedReply()
        }
        return fields.compactMap(ParkedMessage.init(member:))
    }

    /// Makes parked messages due.
    package func retryMessages(
        of destination: String, parkedFor reasons: Set<ParkedMessage.Reason>, limit: Int
    ) async throws(StoreError) -> Int {
        try await release(["\(limit)", "retry"] + reasons.map(\.rawValue).sorted(), of: destination)
    }

    /// Removes parked messages.
    package func discardMessages(of destination: String, limit: Int) async throws(StoreError) -> Int {
        try await release(["\(limit)", "discard"], of: destination)
    }

    private func release(_ arguments: [String], of destination: String) async throws(StoreError) -> Int {
        let command = RedisScript.releaseMessages.command(keys: RedisKeys.outbox(destination), arguments)
        return try Self.count(await commands.query(command, faulty: Self.faultyOutbox()))
    }

    private func change(
        _ script: RedisScript, _ message: OutboxMessage, _ more: String...
    ) async throws(StoreError) {
        _ = try await commands.query(
            script.command(keys: RedisKeys.outbox(message.destination), [message.member] + more),
            faulty: Self.faultyOutbox())
    }

    /// Parses due messages. Removes invalid ones of other programs, which would be due forever.
    private func messages(
        _ fields: ArraySlice<RedisValue>, of destination: String
    ) async throws(StoreError) -> [OutboxMessage] {
        var messages: [OutboxMessage] = []
        for field in fields {
            if let message = OutboxMessage(member: field), message.destination.isExactly(destination) {
                messages.append(message)
            } else if case .string(let member) = field {
                logger.warning("an invalid message of the outbox was removed")
                let removals = RedisKeys.outbox(destination).map { RedisCommand(["ZREM", $0, member]) }
                for removal in removals { _ = try await commands.query(removal, faulty: Self.faultyOutbox()) }
            }
        }
        return messages
    }

    private static func count(_ replies: [RedisValue]) throws(StoreError) -> Int {
        guard case .integer(let count)? = replies.first else { throw .unexpectedReply() }
        return Int(clamping: count)
    }

    private static func faultyOutbox() -> StoreError {
        .faultyRecord(repair: "the keys of the outbox have the wrong type; remove them")
    }
}

extension OutboxMessage {
    /// The member of the sorted sets.
    fileprivate var member: String { "\(kind.rawValue) \(id) \(queued) \(destination) \(body)" }

    /// Parses a member. `nil` if it is invalid.
    fileprivate init?(member: RedisValue) {
        guard let text = member.text else { return nil }
        self.init(text: text)
    }

    fileprivate init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let kind = Kind(rawValue: parts[0]), !parts[1].isEmpty,
            let queued = Int64(parts[2]).flatMap({ UnixTime($0) }),
            (try? StoreBounds.check(provider: parts[3])) != nil
        else { return nil }
        self.init(id: parts[1], kind: kind, destination: parts[3], queued: queued, body: parts[4])
        // Only the same text removes the message.
        guard member.isExactly(text) else { return nil }
    }
}

extension ParkedMessage {
    /// Parses a member: the reason, a space, and the message. `nil` if it is invalid.
    fileprivate init?(member: RedisValue) {
        guard let parts = member.text?.split(separator: " ", maxSplits: 1).map(String.init), parts.count == 2,
            let reason = Reason(rawValue: parts[0]), let message = OutboxMessage(text: parts[1])
        else { return nil }
        self.init(message: message, reason: reason)
    }
}

extension RedisAccountSteps {
    /// Returns the command of a script that removes identities from an account. With an outbox, its messages are added
    /// in the same script.
    ///
    /// - Parameter provider: The provider of the only identity. `nil` if all may be removed.
    private func removal(
        _ script: RedisScript, _ arguments: [String], of uid: UserKey, provider: String?, isDeletion: Bool
    ) -> RedisCommand {
        guard let policy = outbox.current else { return script.command(RedisKeys.account(uid), arguments) }
        let destinations = policy.destinations.filter {
            provider == nil || $0 == provider || $0 == OutboxMessage.webhook
        }
        return script.command(
            keys: [RedisKeys.account(uid)] + destinations.flatMap(RedisKeys.outbox),
            arguments + [
                RandomText.name(), "\(policy.limit(isDeletion: isDeletion))", uid.uid, uid.tenant ?? "",
                uid.project ?? "",
            ] + destinations)
    }

    /// Runs such a script and records its messages.
    ///
    /// - Returns: The reply without the last two elements, and the number of messages that were not accepted.
    func remove(
        _ script: RedisScript, _ arguments: [String], of uid: UserKey, provider: String? = nil,
        isDeletion: Bool = false
    ) async throws(StoreError) -> (fields: [RedisValue], dropped: Int) {
        let command = removal(script, arguments, of: uid, provider: provider, isDeletion: isDeletion)
        let replies = try await commands.send(command, faulty: RedisAccount.faulty())
        guard case .array(let fields)? = replies.first, fields.count >= 2,
            case .integer(let added) = fields[fields.count - 2], case .integer(let dropped) = fields[fields.count - 1]
        else { throw .unexpectedReply() }
        outbox.record(added: Int(clamping: added), dropped: Int(clamping: dropped))
        return (Array(fields.dropLast(2)), Int(clamping: dropped))
    }
}
