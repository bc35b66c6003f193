package import GatewayCore
import Redis
package import Revocation

/// Deletions of accounts. The steps, each on one key:
/// 1. The list of deletions names the user, so that any gateway completes the deletion.
/// 2. The user's record is disabled, revoked and marked as deleted. This decides: no credential of the account passes
///    afterwards, and the deletion cannot be undone.
/// 3. The account's hash loses its data and takes no other. Its links are being removed.
/// 4. Each link is removed, with the sessions and earlier credentials of its identity, and the address.
/// 5. The list no longer names the user.
extension RedisStore {
    /// The time after which another gateway completes a deletion, in seconds.
    static let deletionPatience: Int64 = 60
    /// The maximum number of deletions that one purge completes.
    static let maximumCompletions = 64

    /// Deletes an account, or completes its deletion.
    package func deleteAccount(
        _ uid: UserKey, unlessChangedFrom expected: UserRecord?
    ) async throws(StoreError) -> AccountDeletion {
        try StoreBounds.check(user: uid)
        let now = UnixTime(clamping: clock.now())
        return try await commands.run { () async throws(StoreError) in
            let account = try await steps.stored(uid)
            if account.deletionTime == nil {
                guard account.isMade else { return .absent }
                try await steps.announceDeletion(of: uid, at: now)
                guard try await steps.endUser(uid, at: now, expected) else { return .changed }
            }
            return .deleted(try await steps.erase(uid, at: now))
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
            guard let time = try await steps.deletionTime(of: uid) else { return false }
            _ = try await steps.erase(uid, at: time)
            if try await steps.isHeld(link, by: uid) { try await steps.finish(link, of: uid) }
            return true
        }
    }

    /// Returns the time of the deletion, read from Redis.
    package func deletionTime(of uid: UserKey) async throws(StoreError) -> UnixTime? {
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in try await steps.deletionTime(of: uid) }
    }

    /// Completes deletions that began `deletionPatience` ago.
    ///
    /// - Returns: The number of deleted accounts.
    func completeDeletions(now: Int64) async throws(StoreError) -> Int {
        try await commands.run { () async throws(StoreError) in
            let limit = UnixTime(clamping: now - Self.deletionPatience)
            let command = RedisScript.overdue.command(
                Array(RedisKeys.deleting.utf8), ["\(limit)", "\(Self.maximumCompletions)"])
            guard case .array(let words)? = try await commands.send(command, faulty: Self.faultyList()).first,
                words.count.isMultiple(of: 2)
            else { throw .unexpectedReply() }
            var count = 0
            for index in stride(from: 0, to: words.count, by: 2) {
                guard let name = words[index].text, let begun = words[index + 1].text else { continue }
                if try await complete(UserKey(name: name)) { count += 1 }
                try await steps.forgetDeletion(of: name, begun: begun)
            }
            return count
        }
    }

    /// Completes a deletion from the list. Returns `false` if it did not reach the step that decides.
    private func complete(_ uid: UserKey) async throws(StoreError) -> Bool {
        guard (try? StoreBounds.check(user: uid)) != nil, let time = try await steps.deletionTime(of: uid) else {
            return false
        }
        // The entry of the stream may be missing.
        _ = try await steps.endUser(uid, at: time, nil)
        _ = try await steps.erase(uid, at: time)
        return true
    }

    static func faultyList() -> StoreError {
        .faultyRecord(repair: "the key \(RedisKeys.deleting) is not a hash; remove it")
    }
}

extension RedisAccountSteps {
    /// Adds a user to the list of deletions.
    func announceDeletion(of uid: UserKey, at now: UnixTime) async throws(StoreError) {
        let command = RedisCommand(["HSET", RedisKeys.deleting, uid.name, "\(now)"])
        _ = try await commands.send(command, faulty: RedisStore.faultyList())
    }

    /// Removes a user from the list of deletions, unless another deletion was added since.
    func forgetDeletion(of name: String, begun: String) async throws(StoreError) {
        let command = RedisScript.forgetDeletion.command(Array(RedisKeys.deleting.utf8), [name, begun])
        _ = try await commands.send(command, faulty: RedisStore.faultyList())
    }

    /// Disables and revokes a user permanently, and waits until the view shows it.
    ///
    /// - Returns: `false` if the record is not the expected one.
    func endUser(_ uid: UserKey, at time: UnixTime, _ expected: UserRecord?) async throws(StoreError) -> Bool {
        let condition = expected.map { $0.disabled ? "disabled" : $0.validSince.map { "\($0)" } ?? "" } ?? "*"
        let command = RedisScript.endUser.command(RedisKeys.user(uid), ["\(time)", condition])
        guard let found = try await commands.send(command, faulty: .userIsNoHash()).first?.text else {
            throw .unexpectedReply()
        }
        guard found != "changed" else { return false }
        let change = RedisChange.disabled(uid: uid, true)
        guard case .string(let bytes)? = try await commands.send(change.command, faulty: nil).first,
            let entry = ReplicaStreamID(parsing: bytes)
        else { throw .unexpectedReply() }
        _ = await commands.progress.wait(for: entry, atMost: commands.visibilityLimit)
        return true
    }

    /// Removes an account's data and links, and then the user from the list of deletions.
    ///
    /// - Returns: The identities that were unlinked.
    func erase(_ uid: UserKey, at time: UnixTime) async throws(StoreError) -> [IdentityLink] {
        let command = RedisScript.erase.command(RedisKeys.account(uid), ["\(time)"])
        var erased: [IdentityLink] = []
        // A removal that was begun before hides another link of the same provider for one round.
        for _ in 0..<Self.maximumRounds {
            let links = try await links(in: command)
            guard links.isEmpty else {
                for link in links { try await finish(link, of: uid) }
                erased += links.filter { !erased.contains($0) }
                continue
            }
            for email in try await stored(uid).releasing { try await releaseEmail(email, of: uid) }
            _ = try await commands.send(
                RedisCommand(["HDEL", RedisKeys.deleting, uid.name]), faulty: RedisStore.faultyList())
            return erased
        }
        throw Self.contended()
    }

    /// Returns the time of a user's deletion, from the step that decides.
    func deletionTime(of uid: UserKey) async throws(StoreError) -> UnixTime? {
        if let time = try await stored(uid).deletionTime { return time }
        let command = RedisCommand(["HGET", RedisKeys.user(uid), "deleted"])
        guard let value = try await commands.send(command, faulty: .userIsNoHash()).first else {
            throw .unexpectedReply()
        }
        return StoredField<UnixTime?>(time: value).value ?? 0
    }
}
