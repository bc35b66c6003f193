package import GatewayCore
import Redis
package import Revocation

/// The addresses of accounts. In a change by the user, the account's step is the commit point. It compares the current
/// address and the proof, and requires that the new address is still reserved for the account.
extension RedisStore {
    /// Opens a change of an address.
    package func openEmailChange(
        _ ticket: EmailTicket, of uid: UserKey
    ) async throws(StoreError) -> EmailTicketResult {
        try StoreBounds.check(ticket)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            let (fields, _) = try await steps.remove(
                .openEmailChange, [ticket.name, ticket.previous ?? "", ticket.event], of: uid,
                provider: OutboxMessage.webhook)
            switch fields.first?.text {
            case "open": return .open
            case "full": return .full
            case "stale": return .stale
            case "refused": return .refused
            default: throw .unexpectedReply()
            }
        }
    }

    /// Changes the address of an account: reserves the new address, changes the account, and releases the previous
    /// address. If another gateway took the reservation over meanwhile, the steps are repeated.
    package func changeEmail(
        _ change: EmailChange, of uid: UserKey, claimsEmail: Bool, keeping start: UnixTime?
    ) async throws(StoreError) -> EmailChangeResult {
        try StoreBounds.check(change)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            for _ in 0..<RedisAccountSteps.maximumRounds {
                if claimsEmail, try await !steps.reserve(change.email, for: uid) {
                    if try await steps.stored(uid).deletionTime != nil { return .refused }
                    if let owner = try await holder(of: change.email), owner != uid { return .taken(uid: owner) }
                    continue
                }
                let result = try await steps.listed(uid) { () async throws(StoreError) -> EmailChangeResult? in
                    try await commit(change, of: uid, claimsEmail: claimsEmail, keeping: start)
                }
                if let result { return result }
            }
            throw RedisAccountSteps.contended()
        }
    }

    /// Removes an address from an account and releases its key.
    package func removeEmail(_ email: String, of uid: UserKey) async throws(StoreError) {
        try StoreBounds.check(email: email)
        try StoreBounds.check(user: uid)
        try await commands.run { () async throws(StoreError) in try await steps.removeEmail(email, of: uid) }
    }

    /// Sets the address of an account and releases its previous address.
    package func setEmail(
        _ email: String, verified: Bool, from link: IdentityLink, of uid: UserKey, claimsEmail: Bool
    ) async throws(StoreError) -> Bool {
        try StoreBounds.check(email: email)
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        return try await commands.run { () async throws(StoreError) in
            if claimsEmail, try await !steps.reserve(email, for: uid) { return false }
            let (found, old) = try await steps.step(
                .setEmail, email, verified ? "1" : "0", link.provider, link.subject, of: uid)
            guard found == "set" else {
                if claimsEmail { try await steps.releaseEmail(email, of: uid) }
                return false
            }
            if !old.isEmpty, !old.isExactly(email) { try await steps.releaseEmail(old, of: uid) }
            return claimsEmail ? try await steps.keepKey(of: email, for: uid) : true
        }
    }

    /// Returns the user of an address, after the completion of a deletion that was interrupted.
    private func holder(of email: String) async throws(StoreError) -> UserKey? {
        if let holder = try await steps.holder(of: email) { _ = try await complete(holder) }
        return try await steps.holder(of: email)
    }

    /// Runs the account's step and those after it. `nil` if the new address is not reserved any more.
    private func commit(
        _ change: EmailChange, of uid: UserKey, claimsEmail: Bool, keeping start: UnixTime?
    ) async throws(StoreError) -> EmailChangeResult? {
        let event = change.event.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let (fields, dropped) = try await steps.remove(
            .changeEmail,
            [
                change.previous ?? "", change.email, change.ticket ?? "", change.link?.provider ?? "",
                change.link?.subject ?? "", claimsEmail ? "1" : "", event,
            ], of: uid, provider: OutboxMessage.webhook)
        let found = fields.first?.text
        switch found {
        case "changed":
            let restarted =
                if let old = change.previous, !old.isExactly(change.email) {
                    try await steps.releaseEmail(old, of: uid, keeping: start)
                } else {
                    try await steps.endSessions(of: uid, keeping: start)
                }
            guard claimsEmail, try await !steps.keepKey(of: change.email, for: uid) else {
                return .changed(dropped: dropped, restarted: restarted)
            }
            return .stale
        case "stale", "refused":
            // A concurrent call may have given the account this address.
            if claimsEmail, try await steps.isReleasing(change.email, by: uid) {
                try await steps.releaseEmail(change.email, of: uid)
            }
            return found == "stale" ? .stale : .refused
        case "unreserved": return nil
        default: throw .unexpectedReply()
        }
    }
}

extension RedisAccountSteps {
    /// Takes the key of an address before the account has the address.
    ///
    /// - Returns: `false` if the address belongs to another account.
    func reserve(_ email: String, for uid: UserKey) async throws(StoreError) -> Bool {
        let expectation = try await commands.send(
            RedisScript.expectEmail.command(RedisKeys.account(uid), [email]), faulty: RedisAccount.faulty())
        guard expectation.first == .integer(1) || expectation.first == .integer(2) else { return false }
        guard try await takeEmail(email, of: uid) != nil else { return true }
        // An account can have an address without its key, if addresses were not unique before. It keeps the address.
        if expectation.first == .integer(1) { try await releaseEmail(email, of: uid) }
        return false
    }

    /// Returns the user of an address. `nil` if it is free, including an address that its account has lost.
    func holder(of email: String) async throws(StoreError) -> UserKey? {
        let key = RedisKeys.email(email)
        for _ in 0..<Self.maximumRounds {
            guard let owner = try await owner(at: key) else { return nil }
            guard try await isReleasing(email, by: owner) else { return owner }
            try await releaseEmail(email, of: owner)
        }
        throw Self.contended()
    }

    /// Returns whether the account that the key of an address names lacks the address: it lost the address or is
    /// about to claim it. The hash of a user that the gateway did not create may omit the address.
    func isReleasing(_ email: String, by uid: UserKey) async throws(StoreError) -> Bool {
        let command = RedisCommand.hmget(RedisKeys.account(uid), ["releasing:\(email)", "email", "deleted"])
        let fields = try await commands.send(command, faulty: RedisAccount.faulty()).fields(3)
        if fields[0].text != nil || fields[2] != .null { return true }
        guard let own = fields[1].text else { return uid.isCreatedHere }
        return !own.isExactly(email)
    }

    /// Removes the key of an address that an account does not have, unless the account has it again. If the account had
    /// the address, the sessions of its user end before, so that an interruption leaves no session behind.
    ///
    /// - Parameter start: The start of a session that continues.
    /// - Returns: The new start of that session. `nil` if no session continues, or none ended.
    @discardableResult
    func releaseEmail(
        _ email: String, of uid: UserKey, keeping start: UnixTime? = nil
    ) async throws(StoreError) -> UnixTime? {
        let command = RedisCommand(["HGET", RedisKeys.account(uid), "releasing:\(email)"])
        let mark = try await commands.send(command, faulty: RedisAccount.faulty()).first?.text
        var restarted: UnixTime?
        if mark == RedisScript.lost {
            restarted = try await endSessions(of: uid, keeping: start)
            // Gateways cache the account, with the address, for each of its links.
            for (provider, subject) in try await stored(uid).listed {
                try await announce(IdentityLink(provider: provider, subject: subject), uid)
            }
        }
        try await deleteKey(RedisKeys.email(email), of: uid)
        let reply = try await commands.send(
            RedisScript.released.command(RedisKeys.account(uid), [email, mark ?? ""]), faulty: RedisAccount.faulty())
        if reply.first == .integer(1) { _ = try await keepKey(of: email, for: uid) }
        return restarted
    }

    /// Completes the losses of addresses that were interrupted.
    func releaseLost(of uid: UserKey) async throws(StoreError) {
        for email in try await stored(uid).lost { try await releaseEmail(email, of: uid) }
    }

    /// Restores the key of an address that an account has, since a concurrent release may have removed it.
    ///
    /// - Returns: `false` if the address now belongs to another account, or if the account has lost it again.
    func keepKey(of email: String, for uid: UserKey) async throws(StoreError) -> Bool {
        let key = RedisKeys.email(email)
        guard let owner = try await take(key, for: uid) else {
            let command = RedisCommand(["HGET", RedisKeys.account(uid), "email"])
            let now = try await commands.send(command, faulty: RedisAccount.faulty()).first?.text
            if now?.isExactly(email) == true { return true }
            try await deleteKey(key, of: uid)
            return false
        }
        if owner == uid { return true }
        try await removeEmail(email, of: uid)
        return false
    }

    /// Removes an address from an account that has it, and releases its key.
    func removeEmail(_ email: String, of uid: UserKey) async throws(StoreError) {
        _ = try await commands.send(
            RedisScript.removeEmail.command(RedisKeys.account(uid), [email]), faulty: RedisAccount.faulty())
        try await releaseEmail(email, of: uid)
    }
}

/// The scripts for changes of addresses. Each returns its result, and the numbers of added and of dropped messages. The
/// arguments of the outbox follow the arguments of the script.
extension RedisScript {
    private static let changeable = """
        local function get(field) return redis.call('HGET', KEYS[1], field) end
        if not get('created') or get('deleted') or get('unlinked_more') then return {'refused', 0, 0} end

        """

    /// Opens the change ARGV[1] of an account with the address ARGV[2], or without one if it is empty, if the outbox
    /// accepts the event ARGV[3], a JSON object.
    static let openEmailChange = RedisScript(
        outboxFunctions + changeable + """
            if (get('email') or '') ~= ARGV[2] then return {'stale', 0, 0} end
            add_event(4, cjson.decode(ARGV[3]))
            if added == 0 then return {'full', added, dropped} end
            redis.call('HSET', KEYS[1], 'email_ticket', ARGV[1])
            return {'open', added, dropped}
            """)

    /// Changes the address ARGV[1], or an absent one if it is empty, to ARGV[2], if ARGV[3] is empty or the open
    /// change, and ARGV[4] is empty or a provider whose link has the subject ARGV[5]. If ARGV[6] is not empty, the
    /// field of the reservation must be there, unless the address stays the same. ARGV[7] is empty or the event.
    static let changeEmail = RedisScript(
        outboxFunctions + changeable + """
            local old, new, releasing = ARGV[1], ARGV[2], 'releasing:' .. ARGV[2]
            if (get('email') or '') ~= old or ARGV[3] ~= '' and get('email_ticket') ~= ARGV[3]
                or ARGV[4] ~= '' and get('link:' .. ARGV[4]) ~= ARGV[5] then return {'stale', 0, 0} end
            if ARGV[6] ~= '' and old ~= new and not get(releasing) then return {'unreserved', 0, 0} end
            if old ~= '' and old ~= new then redis.call('HSET', KEYS[1], 'releasing:' .. old, '\(lost)') end
            redis.call('HDEL', KEYS[1], releasing, \(emailFields))
            local source = ARGV[4] ~= '' and ARGV[4] or '\(EmailChange.linkSource)'
            redis.call('HSET', KEYS[1], 'email', new, 'email_verified', '1', 'email_from', source, 'chosen_email', '1')
            if ARGV[7] ~= '' then add_event(8, cjson.decode(ARGV[7])) end
            return {'changed', added, dropped}
            """)
}
