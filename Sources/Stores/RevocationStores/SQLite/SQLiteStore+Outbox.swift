import Foundation
import GRDB
import GatewayCore
import JOSE
package import Revocation

/// The outbox, which is part of the transaction of each change.
extension SQLiteStore: OutboxStore {
    /// Keeps a sealed token in the row of the link.
    package func keepToken(
        _ token: KeptToken, of link: IdentityLink, for user: UserKey
    ) async throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(link)
        try StoreBounds.check(user: user)
        // An expression reads the columns as they were before the statement.
        let isBeside = "(token IS NOT NULL AND substr(token, 1, 2) = ?5 AND substr(CAST(?1 AS TEXT), 1, 2) <> ?5)"
        try await writer.write { db in
            try db.run(
                """
                UPDATE link SET token = CASE WHEN \(isBeside) THEN token ELSE CAST(?1 AS TEXT) END,
                    newer_token = CASE WHEN \(isBeside) THEN CAST(?1 AS TEXT) END
                WHERE provider = CAST(?2 AS TEXT) AND subject = CAST(?3 AS TEXT) AND uid = CAST(?4 AS TEXT)
                """,
                [
                    token.text.bytes, link.provider.bytes, link.subject.bytes, user.name.bytes,
                    KeptToken.refreshPrefix,
                ])
            return SQLiteChange(.success(()))
        }
    }

    /// Counts a removal in a row of the user, which a later period replaces.
    package func countRemoval(by user: UserKey) async throws(StoreError) -> Bool {
        try StoreBounds.check(user: user)
        return try await count(
            user.name.bytes, limit: OutboxSwitch.removalsPerDay, period: OutboxSwitch.removalPeriod)
    }

    /// Counts a link in a row of the same table. Its name begins with a control character, which no user has.
    package func countLink(to email: String) async throws(StoreError) -> Bool {
        try StoreBounds.check(email: email)
        return try await count(
            "\u{1}\(email)".bytes, limit: OutboxSwitch.linksPerHour, period: OutboxSwitch.linkPeriod)
    }

    /// Counts an event in a period. Returns whether its number is within a limit.
    private func count(_ name: Data, limit: Int, period: Int64) async throws(StoreError) -> Bool {
        try checkOpen()
        let now = UnixTime(clamping: clock.now())
        return try await writer.write { db in
            // Also a period that ends too late: it began before the clock was set back.
            try db.run(
                """
                DELETE FROM removal WHERE ends <= ?1 OR ends > ?2 OR (uid = CAST(?3 AS TEXT) AND ends > ?4)
                """,
                [now.seconds, now.adding(OutboxSwitch.removalPeriod).seconds, name, now.adding(period).seconds])
            try db.run(
                """
                INSERT INTO removal (uid, ends, count) VALUES (CAST(? AS TEXT), ?, 1)
                ON CONFLICT (uid) DO UPDATE SET count = min(count + 1, ?)
                """, [name, now.adding(period).seconds, limit + 1])
            let count = try Int.fetchOne(
                db.cachedStatement(sql: "SELECT count FROM removal WHERE uid = CAST(? AS TEXT)"), arguments: [name])
            return SQLiteChange(.success(count.map { $0 <= limit } ?? false))
        }
    }

    /// Returns due messages. This process is the only user of the file, so it always has the lease.
    package func pollOutbox(
        of destination: String, by _: String, lease _: Int64, limit: Int
    ) async throws(StoreError) -> OutboxPoll {
        try checkOpen()
        let now = UnixTime(clamping: clock.now())
        let (poll, hasExpired) = try await writer.read { db -> (OutboxPoll, Bool) in
            var poll = OutboxPoll(isHolder: true, now: now)
            let due = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, kind, destination, queued, CAST(body AS BLOB) FROM outbox
                        WHERE destination = CAST(? AS TEXT) AND parked IS NULL AND (due <= ? OR due > ?)
                        ORDER BY due LIMIT ?
                        """),
                // A due time that is too late was stored before the clock was set back.
                arguments: [
                    destination.bytes, now.seconds, now.adding(OutboxSwitch.longestDelay).seconds, limit,
                ])
            poll.messages = due.compactMap { OutboxMessage($0) }
            poll.destinations = Set(
                try String.fetchAll(db.cachedStatement(sql: "SELECT DISTINCT destination FROM outbox")))
            let totals = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT count(*) FILTER (WHERE parked IS NULL), min(queued) FILTER (WHERE parked IS NULL),
                            count(parked), min(parked) FROM outbox WHERE destination = CAST(? AS TEXT)
                        """), arguments: [destination.bytes])
            guard let totals else { return (poll, false) }
            poll.count = totals[0]
            poll.age = (totals[1] as Int64?).map { max(0, now.seconds - $0) }
            poll.parked = totals[2]
            return (poll, (totals[3] as Int64?).map { $0 <= Self.parkedLimit(now) } ?? false)
        }
        if hasExpired { try await removeExpired(now) }
        return poll
    }

    /// Removes a message.
    package func removeMessage(_ message: OutboxMessage) async throws(StoreError) {
        try await change("DELETE FROM outbox WHERE id = ?", [message.id])
    }

    /// Makes a waiting message due later.
    package func postponeMessage(_ message: OutboxMessage, by seconds: Int64) async throws(StoreError) {
        let due = UnixTime(clamping: clock.now()).adding(seconds)
        try await change("UPDATE outbox SET due = ? WHERE id = ? AND parked IS NULL", [due.seconds, message.id])
    }

    /// Parks a waiting message.
    package func parkMessage(
        _ message: OutboxMessage, for reason: ParkedMessage.Reason
    ) async throws(StoreError) {
        let now = UnixTime(clamping: clock.now())
        try await change(
            "UPDATE outbox SET parked = ?, reason = ? WHERE id = ? AND parked IS NULL",
            [now.seconds, reason.rawValue, message.id])
    }

    /// The lease ends with the process.
    package func releaseOutbox(of _: String, by _: String) async throws(StoreError) {}

    /// Returns parked messages, oldest first.
    package func parkedMessages(of destination: String, limit: Int) async throws(StoreError) -> [ParkedMessage] {
        try checkOpen()
        return try await writer.read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, kind, destination, queued, CAST(body AS BLOB), reason FROM outbox
                        WHERE destination = CAST(? AS TEXT) AND parked IS NOT NULL ORDER BY parked LIMIT ?
                        """), arguments: [destination.bytes, limit]
            ).compactMap { row in
                OutboxMessage(row).map { message in
                    // Earlier versions stored no reason.
                    let reason = (row[5] as String?).flatMap { ParkedMessage.Reason(rawValue: $0) }
                    return ParkedMessage(message: message, reason: reason ?? .rejected)
                }
            }
        }
    }

    /// Makes parked messages due.
    package func retryMessages(
        of destination: String, parkedFor reasons: Set<ParkedMessage.Reason>, limit: Int
    ) async throws(StoreError) -> Int {
        let now = UnixTime(clamping: clock.now())
        let names = reasons.map(\.rawValue).sorted()
        let places = names.map { _ in "?" }.joined(separator: ", ")
        let times: StatementArguments = [now.seconds, now.seconds, destination.bytes]
        let last: StatementArguments = [limit]
        return try await change(
            """
            UPDATE outbox SET parked = NULL, reason = NULL, due = ?, queued = ? WHERE id IN (
                \(Self.parkedIDs) AND coalesce(reason, '\(ParkedMessage.Reason.rejected.rawValue)') IN (\(places))
                ORDER BY parked LIMIT ?)
            """,
            times + StatementArguments(names) + last)
    }

    /// Removes parked messages.
    package func discardMessages(of destination: String, limit: Int) async throws(StoreError) -> Int {
        try await change(
            "DELETE FROM outbox WHERE id IN (\(Self.parkedIDs) ORDER BY parked LIMIT ?)", [destination.bytes, limit])
    }

    private static let parkedIDs =
        "SELECT id FROM outbox WHERE destination = CAST(? AS TEXT) AND parked IS NOT NULL"

    private static func parkedLimit(_ now: UnixTime) -> Int64 { now.adding(-OutboxSwitch.retention).seconds }

    private func removeExpired(_ now: UnixTime) async throws(StoreError) {
        try await change("DELETE FROM outbox WHERE parked <= ?", [Self.parkedLimit(now)])
    }

    /// Runs a statement in a transaction. Returns the number of changed rows.
    @discardableResult
    private func change(_ sql: String, _ arguments: StatementArguments) async throws(StoreError) -> Int {
        try checkOpen()
        return try await writer.write { db in
            try db.run(sql, arguments)
            return SQLiteChange(.success(db.changesCount))
        }
    }
}

/// The messages of one transaction that removes identities of a user.
struct SQLiteOutbox {
    private let policy: OutboxSwitch.Policy?
    private let user: UserKey
    private let now: UnixTime
    private let isDeletion: Bool
    /// The beginning of the IDs of the messages.
    private let id = RandomText.name()
    private(set) var added = 0
    private(set) var dropped = 0

    /// - Parameter isDeletion: Whether the whole account is deleted.
    init(_ outbox: OutboxSwitch, of user: UserKey, at now: UnixTime, isDeletion: Bool = false) {
        (policy, self.user, self.now, self.isDeletion) = (outbox.current, user, now, isDeletion)
    }

    /// Adds the revocations of an identity's tokens. Called before the link is removed.
    mutating func addRevocations(of link: IdentityLink, _ db: Database) throws {
        guard policy != nil else { return }
        let statement = try db.cachedStatement(
            sql: """
                SELECT CAST(token AS BLOB), CAST(newer_token AS BLOB) FROM link
                WHERE provider = CAST(? AS TEXT) AND subject = CAST(? AS TEXT) AND uid = CAST(? AS TEXT)
                """)
        let row = try Row.fetchOne(statement, arguments: [link.provider.bytes, link.subject.bytes, user.name.bytes])
        for token in [row?[0] as Data?, row?[1] as Data?].compactMap(\.self) {
            try add(.revocation, to: link.provider, db) { body in
                body.add("subject", link.subject)
                body.add("token", String(decoding: token, as: UTF8.self))
            }
        }
    }

    /// Adds an event about identities.
    ///
    /// - Parameter target: The account that now has them. `nil` if they are not moved.
    mutating func addEvent(
        _ type: String, _ links: [IdentityLink], mergedInto target: UserKey? = nil, _ db: Database
    ) throws {
        try add(.event, to: OutboxMessage.webhook, db) { body in
            body.add("type", type)
            body.add("merged_into", target?.uid)
            let identities = ObjectText.object { object in
                for link in links { object.add(link.provider, link.subject) }
            }
            body.add("identities", json: identities)
        }
    }

    /// Adds an event with the members of a JSON object.
    mutating func addEvent(_ members: JSONValue, _ db: Database) throws {
        try add(.event, to: OutboxMessage.webhook, db) { body in
            for (name, value) in members.members { body.add(name, value) }
        }
    }

    private mutating func add(
        _ kind: OutboxMessage.Kind, to destination: String, _ db: Database, _ write: (inout ObjectText) -> Void
    ) throws {
        guard let policy, policy.destinations.contains(destination) else { return }
        let statement = try db.cachedStatement(
            sql: "SELECT count(*) FROM outbox WHERE destination = CAST(? AS TEXT)")
        let count = try Int.fetchOne(statement, arguments: [destination.bytes]) ?? 0
        guard count < policy.limit(isDeletion: isDeletion) else {
            dropped += 1
            return
        }
        added += 1
        let body = ObjectText.object { body in
            body.add("uid", user.uid)
            body.add("project", user.project)
            body.add("tenant", user.tenant)
            body.add("time", now)
            write(&body)
        }
        try db.run(
            """
            INSERT INTO outbox (id, kind, destination, body, queued, due)
            VALUES (?, ?, CAST(? AS TEXT), CAST(? AS TEXT), ?, ?)
            """,
            ["\(id)-\(added)", kind.rawValue, destination.bytes, Data(body), now.seconds, now.seconds])
    }
}

extension OutboxMessage {
    /// `nil` for an invalid row.
    fileprivate init?(_ row: Row) {
        guard let kind = Kind(rawValue: row[1]), let queued = UnixTime(row[3]), let body = row[4] as Data? else {
            return nil
        }
        self.init(
            id: row[0], kind: kind, destination: row[2], queued: queued, body: String(decoding: body, as: UTF8.self))
    }
}
