import Foundation
import GRDB
import GatewayCore
import Logging
import Revocation
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import StoreFixtures

/// A faulty record is an error only for its user.
@Suite struct SQLiteFaultyRecordTests {
    private let file: SQLiteFile

    init() throws {
        file = try SQLiteFile()
    }

    /// A store with a file that another program changed by `sql`.
    private func store(_ sql: String, logger: Logger = .silent) async throws -> (SQLiteStore, LoadReport) {
        try await file.open().close()
        try await file.execute("PRAGMA ignore_check_constraints = ON; " + sql)
        let store = try file.open(clock: .facts(at: 1000), logger: logger)
        return (store, try await store.load())
    }

    func user(_ validSince: String, _ disabled: String = "0") -> String {
        "INSERT INTO user (uid, valid_since, disabled) VALUES ('ok', 7, 0), ('bad', \(validSince), \(disabled));"
    }

    @Test(arguments: ["'soon'", "-1", "1700000000000", "100000000001", "1.5", "x'31'", "9223372036854775807"])
    func `an invalid time is faulty for its user only`(_ validSince: String) async throws {
        let (store, report) = try await store(user(validSince))
        #expect(report == LoadReport(users: 1, faulty: 1))
        #expect(try store.view.user("bad") == .faulty)
        #expect(try store.view.user("ok") == .record(validSince: 7, disabled: false))
        #expect(store.view.faultyRecords == 1)
        #expect(store.view.age(monotonicNow: 1) == 0)
    }

    @Test(arguments: ["'yes'", "2", "-1", "0.5", "x'00'"])
    func `an invalid flag is faulty`(_ disabled: String) async throws {
        let (store, _) = try await store(user("NULL", disabled))
        #expect(try store.view.user("bad") == .faulty)
    }

    @Test(arguments: ["2, 1, NULL", "0, 1700000000000, NULL", "0, 'x', NULL", "0, 1, 'x'", "0, 1, -1"])
    func `an invalid session is faulty`(_ values: String) async throws {
        let (store, report) = try await store(
            "INSERT INTO session (uid, session, revoked, signed_in_at, expires) VALUES ('ann', 'ok', 0, 7, NULL), ('ann', 'bad', \(values));"
        )
        #expect(report.faulty == 1)
        #expect(try store.view.session("ann", "bad") == .faulty)
        #expect(try store.view.session("ann", "ok") == .record(revoked: false, signedInAt: 7))
        #expect(try store.view.user("ann") == .none)
        await expectStoreError(.faultyRecord) { _ = try await store.session("ann", "bad") }
        await expectStoreError(.faultyRecord) { try await store.recordSignIn("ann", "bad", at: 1, expires: nil) }
    }

    @Test func `faulty records are logged`() async throws {
        let log = LogLines()
        _ = try await store(user("'soon'"), logger: log.logger)
        let messages = log.all.map { $0.text.prefix { $0 != "[" } }
        #expect(messages == ["invalid record in the store ", "the store has invalid records "])
    }

    @Test func `a faulty time is overwritten by unrevoke only`() async throws {
        let (store, _) = try await store(user("1700000000000"))
        await expectStoreError(.faultyRecord) { _ = try await store.user("bad") }
        #expect(try await store.user("ok").validSince == 7)
        let error = await expectStoreError(.faultyRecord) { try await store.revoke("bad", at: 1) }
        #expect(error?.message.contains("unrevoke") == true)
        #expect(try store.view.user("bad") == .faulty)
        #expect(try await store.unrevoke("bad") == UserRecord())
        #expect(try await store.revoke("bad", at: 1) == UserRecord(validSince: 1))
        #expect(try store.view.user("bad") == .record(validSince: 1, disabled: false))
    }

    @Test func `a record with two faults is repaired in two steps`() async throws {
        let (store, _) = try await store(user("'soon'", "2"))
        await expectStoreError(.faultyRecord) { try await store.setDisabled("bad", true) }
        #expect(try store.view.user("bad") == .faulty)
        #expect(try await store.unrevoke("bad") == UserRecord(disabled: true))
        #expect(try store.view.user("bad") == .record(validSince: nil, disabled: true))
    }

    @Test func `revoking repairs a faulty session`() async throws {
        let (store, _) = try await store(
            "INSERT INTO session (uid, session, revoked, signed_in_at, expires) VALUES ('ann', 'bad', 2, 'x', 'y');")
        #expect(try await store.revokeSession("ann", "bad") == SessionRecord(revoked: true))
        #expect(try store.view.session("ann", "bad") == .record(revoked: true, signedInAt: nil))
    }

    @Test func `the database refuses invalid values`() async throws {
        try await file.open().close()
        for values in ["'a', 1700000000000, 0", "'a', 'x', 0", "'a', -1, 0", "'a', 1, 2", "x'61', 1, 0"] {
            await #expect(throws: DatabaseError.self) {
                try await file.execute("INSERT INTO user (uid, valid_since, disabled) VALUES (\(values))")
            }
        }
    }
}
