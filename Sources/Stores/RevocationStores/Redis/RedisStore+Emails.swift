import Redis
package import Revocation

/// The steps of addresses. The key of an address decides whose it is, and the account's hash has the address. `releasing:EMAIL` in the hash says that
/// the key may name the account although the account does not have the address: the next gateway that finds both removes the key.
extension RedisStore {
    /// Keeps the address of an account, and gives up the one that it had before.
    package func setEmail(
        _ email: String, verified: Bool, from link: IdentityLink, of uid: UserKey, claimsEmail: Bool
    ) async throws(StoreError) -> Bool {
        try checkOpen()
        try StoreBounds.check(email: email)
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        return try await run { () async throws(StoreError) in
            if claimsEmail, try await !reserve(email, for: uid) { return false }
            let (found, old) = try await step(
                .setEmail, email, verified ? "1" : "0", link.provider, link.subject, of: uid)
            guard found == "set" else {
                if claimsEmail { try await giveUp(email, of: uid) }
                return false
            }
            if !old.isEmpty, !old.isExactly(email) { try await giveUp(old, of: uid) }
            return claimsEmail ? try await keepKey(of: email, for: uid) : true
        }
    }

    /// Takes the key of an address before the account has the address.
    ///
    /// - Returns: false where it is another account's.
    private func reserve(_ email: String, for uid: UserKey) async throws(StoreError) -> Bool {
        _ = try await send(
            RedisScript.expectEmail.command(RedisKeys.account(uid), [email]), faulty: RedisAccount.faulty())
        guard try await takeEmail(email, of: uid) != nil else { return true }
        _ = try await send(
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
        let fields = try await send(command, faulty: RedisAccount.faulty()).fields(2)
        if fields[0].text != nil { return true }
        guard let own = fields[1].text else { return AccountRecord.isMadeHere(uid) }
        return !own.isExactly(email)
    }

    /// Removes the key of an address that an account had, unless it has it again.
    func giveUp(_ email: String, of uid: UserKey) async throws(StoreError) {
        try await give(RedisKeys.email(email), of: uid)
        let reply = try await send(
            RedisScript.released.command(RedisKeys.account(uid), [email]), faulty: RedisAccount.faulty())
        if reply.first == .integer(1) { _ = try await keepKey(of: email, for: uid) }
    }

    /// Makes the key of an address that an account has name the account: whoever gave the address up meanwhile may have removed it.
    ///
    /// - Returns: false where it is another account's by now, or the account has lost the address again.
    private func keepKey(of email: String, for uid: UserKey) async throws(StoreError) -> Bool {
        let key = RedisKeys.email(email)
        guard let owner = try await take(key, for: uid) else {
            let command = RedisCommand(["HGET", RedisKeys.account(uid), "email"])
            let now = try await send(command, faulty: RedisAccount.faulty()).first?.text
            if now?.isExactly(email) == true { return true }
            try await give(key, of: uid)
            return false
        }
        if owner == uid { return true }
        _ = try await send(
            RedisScript.dropEmail.command(RedisKeys.account(uid), [email]), faulty: RedisAccount.faulty())
        return false
    }
}
