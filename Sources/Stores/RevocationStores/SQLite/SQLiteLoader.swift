import Foundation
import GRDB
import GatewayCore
import Logging
import Revocation

/// Reads all records into the view. An invalid row becomes a faulty record of its user.
struct SQLiteLoader {
    /// The maximum number of faulty rows that are logged individually.
    private static let maximumLogged = 100
    private static let maximumLoggedSize = 512

    let view: StoreView
    let keys: StoreKeyMaker
    /// The current time in seconds since 1970. Sessions that have expired by then are omitted.
    let now: Int64
    let logger: Logger

    func load(_ db: Database) throws -> LoadReport {
        var report = LoadReport()
        try loadUsers(db, &report)
        try loadSessions(db, &report)
        if report.faulty > 0 {
            logger.error("the store has invalid records", metadata: ["count": "\(report.faulty)"])
        }
        return report
    }

    private func loadUsers(_ db: Database, _ report: inout LoadReport) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT CAST(uid AS BLOB), valid_since, disabled FROM user")
        while let row = try rows.next() {
            let user = StoredUser(validSince: .init(time: row[1]), disabled: .init(flag: row[2]))
            try row.withName(0) { uid in view.setUser(try keys.key(userName: uid), to: user.word) }
            if user.record == nil { try recordFault(row, "user", &report) } else { report.users += 1 }
        }
    }

    private func loadSessions(_ db: Database, _ report: inout LoadReport) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT CAST(uid AS BLOB), CAST(session AS BLOB), revoked, signed_in_at, expires, authenticated_at
                FROM session
                """)
        while let row = try rows.next() {
            let session = StoredSession(
                revoked: .init(flag: row[2]), signedInAt: .init(time: row[3]), authenticatedAt: .init(time: row[5]),
                expires: .init(time: row[4]))
            if let expires = session.expires.value ?? nil, !expires.isAfter(now) {
                report.expired += 1
                continue
            }
            try row.withName(0) { uid in
                try row.withName(1) { name in
                    view.setSession(try keys.key(userName: uid, session: name), to: session.word)
                }
            }
            if session.record == nil { try recordFault(row, "session", &report) } else { report.sessions += 1 }
        }
    }

    private func recordFault(_ row: Row, _ table: String, _ report: inout LoadReport) throws {
        report.faulty += 1
        guard report.faulty <= Self.maximumLogged else { return }
        let uid = try row.withName(0) { String(decoding: $0.prefix(Self.maximumLoggedSize), as: UTF8.self) }
        logger.error("invalid record in the store", metadata: ["table": "\(table)", "uid": "\(uid)"])
    }
}

extension Row {
    /// Calls `body` with the bytes of a name.
    func withName<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try withUnsafeData(atIndex: index) { data in
            try (data ?? Data()).withUnsafeBytes(body)
        }
    }
}
