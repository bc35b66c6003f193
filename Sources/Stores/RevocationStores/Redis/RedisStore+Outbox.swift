import GatewayCore
import Logging
import Redis
package import Revocation

/// The outbox, in keys of its own. With an outbox, the removal of an identity and its messages are one script on keys
/// of several hash slots.
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

    /// Acquires or renews the lease, which Redis ends.
    package func pollOutbox(by holder: String, lease: Int64, limit: Int) async throws(StoreError) -> OutboxPoll {
        let command = RedisScript.pollOutbox.command(
            keys: RedisKeys.outbox + [RedisKeys.outboxLease],
            [holder, "\(lease * 1000)", "\(limit)", "\(OutboxSwitch.retention)"])
        let replies = try await commands.query(command, faulty: Self.faultyOutbox())
        guard replies.count == 1, case .array(let fields) = replies[0], fields.count >= 5,
            case .integer(let isHolder) = fields[0], case .integer(let now) = fields[1],
            case .integer(let count) = fields[2], case .integer(let parked) = fields[3],
            case .integer(let age) = fields[4]
        else { throw .unexpectedReply() }
        return OutboxPoll(
            isHolder: isHolder == 1, messages: try await messages(fields.dropFirst(5)), now: UnixTime(clamping: now),
            count: Int(clamping: count), age: age < 0 ? nil : age, parked: Int(clamping: parked))
    }

    /// Removes a message.
    package func removeMessage(_ message: OutboxMessage) async throws(StoreError) {
        try await change(.removeMessage, [message.member])
    }

    /// Makes a waiting message due later.
    package func postponeMessage(_ message: OutboxMessage, by seconds: Int64) async throws(StoreError) {
        try await change(.postponeMessage, [message.member, "\(seconds)"])
    }

    /// Parks a waiting message.
    package func parkMessage(_ message: OutboxMessage) async throws(StoreError) {
        try await change(.parkMessage, [message.member])
    }

    /// Releases the lease, if the caller has it.
    package func releaseOutbox(of holder: String) async throws(StoreError) {
        _ = try await commands.query(RedisScript.deleteIfEqual.command(RedisKeys.outboxLease, [holder]))
    }

    /// Returns parked messages, oldest first.
    package func parkedMessages(limit: Int) async throws(StoreError) -> [OutboxMessage] {
        let command = RedisCommand(["ZRANGE", RedisKeys.outbox[2], 0, limit - 1])
        guard case .array(let fields)? = try await commands.query(command, faulty: Self.faultyOutbox()).first else {
            throw .unexpectedReply()
        }
        return try await messages(fields[...])
    }

    /// Makes parked messages due.
    package func retryMessages(limit: Int) async throws(StoreError) -> Int {
        try await release("retry", limit: limit)
    }

    /// Removes parked messages.
    package func discardMessages(limit: Int) async throws(StoreError) -> Int {
        try await release("discard", limit: limit)
    }

    private func release(_ effect: String, limit: Int) async throws(StoreError) -> Int {
        let command = RedisScript.releaseMessages.command(keys: RedisKeys.outbox, ["\(limit)", effect])
        guard case .integer(let count)? = try await commands.query(command, faulty: Self.faultyOutbox()).first else {
            throw .unexpectedReply()
        }
        return Int(clamping: count)
    }

    private func change(_ script: RedisScript, _ arguments: [String]) async throws(StoreError) {
        _ = try await commands.query(
            script.command(keys: RedisKeys.outbox, arguments), faulty: Self.faultyOutbox())
    }

    /// Parses messages. Removes invalid ones of other programs, which would be due forever.
    private func messages(_ fields: ArraySlice<RedisValue>) async throws(StoreError) -> [OutboxMessage] {
        var messages: [OutboxMessage] = []
        for field in fields {
            if let message = OutboxMessage(member: field) {
                messages.append(message)
            } else if case .string(let member) = field {
                logger.warning("an invalid message of the outbox was removed")
                let removals = RedisKeys.outbox.map { RedisCommand(["ZREM", $0, member]) }
                for removal in removals { _ = try await commands.query(removal, faulty: Self.faultyOutbox()) }
            }
        }
        return messages
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
        let parts = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let kind = Kind(rawValue: parts[0]), !parts[1].isEmpty,
            let queued = Int64(parts[2]).flatMap({ UnixTime($0) }),
            (try? StoreBounds.check(provider: parts[3])) != nil
        else { return nil }
        self.init(id: parts[1], kind: kind, destination: parts[3], queued: queued, body: parts[4])
        // Only the same text removes the message.
        guard self.member.isExactly(text) else { return nil }
    }
}

extension RedisAccountSteps {
    /// Returns the command of a script that removes identities from an account. With an outbox, its messages are added
    /// in the same script.
    func removal(_ script: RedisScript, _ arguments: [String], of uid: UserKey) -> RedisCommand {
        guard let policy = outbox.current else { return script.command(RedisKeys.account(uid), arguments) }
        return script.command(
            keys: [RedisKeys.account(uid)] + RedisKeys.outbox,
            arguments + [
                RandomText.name(), "\(policy.limit)", policy.sendsEvents ? "1" : "0", uid.uid, uid.tenant ?? "",
                uid.project ?? "",
            ])
    }

    /// Runs such a script and records its messages.
    ///
    /// - Returns: The reply without the last two elements, the numbers of added and of dropped messages.
    func remove(
        _ script: RedisScript, _ arguments: [String], of uid: UserKey
    ) async throws(StoreError) -> [RedisValue] {
        let replies = try await commands.send(removal(script, arguments, of: uid), faulty: RedisAccount.faulty())
        guard case .array(let fields)? = replies.first, fields.count >= 2,
            case .integer(let added) = fields[fields.count - 2], case .integer(let dropped) = fields[fields.count - 1]
        else { throw .unexpectedReply() }
        outbox.record(added: Int(clamping: added), dropped: Int(clamping: dropped))
        return Array(fields.dropLast(2))
    }
}
