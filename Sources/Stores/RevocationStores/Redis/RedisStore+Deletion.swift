package import GatewayCore
import Logging
import Redis
package import Revocation

/// Deletions of accounts. The steps, each on one key:
/// 1. The list of deletions names the user, so that any gateway completes the deletion.
/// 2. The user's record is disabled, revoked and marked as deleted: the commit point. No credential of the account
///    passes afterwards, and the deletion cannot be undone. The change is published, and the user listed again, in the
///    same pipeline.
/// 3. The account's hash loses its data and takes no other. Its links are being removed. The messages of the outbox are
///    added in the same script.
/// 4. Each link is removed, with the sessions and earlier credentials of its identity, and the address.
/// 5. The list no longer names the user.
extension RedisStore {
    /// The time after which another gateway completes a deletion, in seconds.
    static let completionDelay: Int64 = 60
    /// The maximum number of deletions that one purge completes.
    static let maximumCompletions = 64

    /// Deletes an account, or completes its deletion.
    package func deleteAccount(
        _ uid: UserKey, unlessChangedFrom expected: UserRecord?
    ) async throws(StoreError) -> AccountDeletion {
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            let account = try await steps.stored(uid)
            let earlier = account.deletionTime
            guard account.isMade || earlier != nil else { return .absent }
            try await steps.announceDeletion(of: uid, at: UnixTime(clamping: clock.now()))
            let time = earlier ?? UnixTime(clamping: clock.now())
            // The user's record may have been lost since an earlier deletion, so it is written in any case.
            let isDisabled = try await steps.disableUser(
                uid, at: time, unlessChangedFrom: earlier == nil ? expected : nil)
            guard isDisabled else { return .changed }
            let (links, dropped) = try await steps.deleteData(of: uid, at: time)
            return .deleted(links, dropped: dropped)
        }
    }

    /// Completes the deletion of a user, and removes the identity's key if it still names the user: a link that began
    /// before the deletion may have been interrupted.
    package func completeDeletion(
        of uid: UserKey, holding link: IdentityLink
    ) async throws(StoreError) -> Bool {
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            guard try await complete(uid) else { return false }
            if try await steps.isHeld(link, by: uid) { try await steps.finish(link, of: uid) }
            return true
        }
    }

    /// Returns the time of the deletion, read from Redis.
    package func deletionTime(of uid: UserKey) async throws(StoreError) -> UnixTime? {
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in try await steps.deletionTime(of: uid) }
    }

    /// Completes deletions that began `completionDelay` ago. A deletion that fails stays in the list, and does not
    /// prevent the others.
    ///
    /// - Returns: The number of deleted accounts.
    func completeDeletions(now: Int64) async throws(StoreError) -> Int {
        try await commands.run { () async throws(StoreError) in
            let limit = UnixTime(clamping: now - Self.completionDelay)
            let command = RedisScript.overdue.command(
                Array(RedisKeys.deleting.utf8), ["\(limit)", "\(Self.maximumCompletions)"])
            guard case .array(let entries)? = try await commands.send(command, faulty: Self.faultyList()).first,
                entries.count.isMultiple(of: 2)
            else { throw .unexpectedReply() }
            var count = 0
            for index in stride(from: 0, to: entries.count, by: 2) {
                guard let name = entries[index].text, let begun = entries[index + 1].text else { continue }
                do throws(StoreError) {
                    if try await completeListed(name, begun: begun) { count += 1 }
                } catch {
                    guard error.code != .closed else { throw error }
                    logger.warning(
                        "the deletion of an account could not be completed",
                        metadata: ["uid": "\(name)", "error": "\(error)"])
                }
            }
            return count
        }
    }

    /// Completes a listed deletion, or removes it from the list if it did not reach its commit point. Then the listed
    /// operation may have been another one, whose loss of an address is completed.
    ///
    /// A call that stalled after its announcement may pass the commit point, and list the same time again, just before
    /// the list loses it. The user is therefore read once more.
    ///
    /// - Returns: Whether the deletion was completed.
    private func completeListed(_ name: String, begun: String) async throws(StoreError) -> Bool {
        let uid = UserKey(name: name)
        let isUser = (try? StoreBounds.check(user: uid)) != nil
        let isCompleted = try await isUser ? complete(uid) : false
        if isUser, !isCompleted { try await steps.releaseLost(of: uid) }
        try await steps.forgetDeletion(of: name, begun: begun)
        return try await isUser && !isCompleted ? complete(uid) : isCompleted
    }

    /// Completes a deletion, inside of `run`. Returns `false` if it did not reach its commit point.
    func complete(_ uid: UserKey) async throws(StoreError) -> Bool {
        guard let time = try await steps.deletionTime(of: uid) else { return false }
        // The entry of the stream may be missing.
        _ = try await steps.disableUser(uid, at: time, unlessChangedFrom: nil)
        if let target = try await steps.mergeTarget(of: uid) {
            try await steps.announceLinks(of: target)
            try await steps.releaseLost(of: target)
        }
        _ = try await steps.deleteData(of: uid, at: time)
        logger.notice("an interrupted deletion of an account was completed", metadata: ["uid": "\(uid.name)"])
        return true
    }

    static func faultyList() -> StoreError {
        .faultyRecord(repair: "the key \(RedisKeys.deleting) is not a hash; remove it")
    }
}

extension RedisAccountSteps {
    /// Adds a user to the list of deletions.
    func announceDeletion(of uid: UserKey, at now: UnixTime) async throws(StoreError) {
        _ = try await commands.send(Self.announcement(of: uid, at: now), faulty: RedisStore.faultyList())
    }

    /// Runs an operation that may take the address of an account, with the user in the list of deletions: if the
    /// operation is interrupted, a purge completes the loss, with the end of the sessions.
    func listed<Value>(
        _ uid: UserKey, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        // The value differs from that of a deletion, so that neither removes the other's.
        let begun = "\(RedisScript.loss)\(UnixTime(clamping: clock.now()))"
        _ = try await commands.send(
            RedisCommand(["HSETNX", RedisKeys.deleting, uid.name, begun]), faulty: RedisStore.faultyList())
        let value = try await body()
        try await forgetDeletion(of: uid.name, begun: begun)
        return value
    }

    private static func announcement(of uid: UserKey, at time: UnixTime) -> RedisCommand {
        RedisCommand(["HSET", RedisKeys.deleting, uid.name, "\(time)"])
    }

    /// Removes a user from the list of deletions, unless another deletion was added since.
    func forgetDeletion(of name: String, begun: String) async throws(StoreError) {
        let command = RedisScript.forgetDeletion.command(Array(RedisKeys.deleting.utf8), [name, begun])
        _ = try await commands.send(command, faulty: RedisStore.faultyList())
    }

    /// Disables and revokes a user permanently, and waits until the view shows it.
    ///
    /// The change is sent together with the command, as in `RedisCommands.write`: if the connection fails between
    /// them, no gateway would learn of it. An entry without a change is harmless. So is the announcement, which a
    /// purge may have removed before the user was disabled.
    ///
    /// - Parameter expected: The record that the user must have. `nil` for any record.
    /// - Returns: `false` if the record is not the expected one.
    func disableUser(
        _ uid: UserKey, at time: UnixTime, unlessChangedFrom expected: UserRecord?
    ) async throws(StoreError) -> Bool {
        let condition = expected.map { $0.disabled ? "disabled" : $0.validSince.map { "\($0)" } ?? "" } ?? "*"
        let replies = try await commands.send(
            RedisScript.disableDeletedUser.command(RedisKeys.user(uid), ["\(time)", condition])
                + RedisChange.disabled(uid: uid, true).command + Self.announcement(of: uid, at: time),
            faulty: .userIsNoHash())
        guard replies.count == 3, let found = replies[0].text, case .string(let bytes) = replies[1],
            let entry = ReplicaStreamID(parsing: bytes)
        else { throw .unexpectedReply() }
        guard found != "changed" else { return false }
        // The record may be stricter: its time never decreases.
        let word = RecordWord(UserRecord(validSince: time, disabled: true))
        await commands.show(word, of: ReplicaKey(uid), at: entry)
        return true
    }

    /// Removes an account's data and links, and then the user from the list of deletions.
    ///
    /// - Returns: The identities that were unlinked, and the number of messages that the outbox did not accept.
    func deleteData(
        of uid: UserKey, at time: UnixTime
    ) async throws(StoreError) -> (removed: [IdentityLink], dropped: Int) {
        var (removed, dropped): ([IdentityLink], Int) = ([], 0)
        // A removal that was begun before hides another link of the same provider for one round.
        for _ in 0..<Self.maximumRounds {
            let reply = try await remove(.deleteAccountData, ["\(time)"], of: uid, isDeletion: true)
            dropped += reply.dropped
            let links = try Self.links(in: reply.fields)
            guard links.isEmpty else {
                for link in links { try await finish(link, of: uid) }
                removed += links.filter { !removed.contains($0) }
                continue
            }
            for email in try await stored(uid).releasing { try await releaseEmail(email, of: uid) }
            _ = try await commands.send(RedisCommand(["DEL", RedisKeys.sessions(of: uid)]), faulty: nil)
            _ = try await commands.send(
                RedisCommand(["HDEL", RedisKeys.deleting, uid.name]), faulty: RedisStore.faultyList())
            return (removed, dropped)
        }
        throw Self.contended()
    }

    /// Returns the time of a user's deletion, from its commit point.
    func deletionTime(of uid: UserKey) async throws(StoreError) -> UnixTime? {
        if let time = try await stored(uid).deletionTime { return time }
        let command = RedisCommand(["HGET", RedisKeys.user(uid), "deleted"])
        guard let value = try await commands.send(command, faulty: .userIsNoHash()).first else {
            throw .unexpectedReply()
        }
        return StoredField<UnixTime?>(time: value).value ?? 0
    }
}
