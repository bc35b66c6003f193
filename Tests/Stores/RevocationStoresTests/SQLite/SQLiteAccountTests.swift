import GRDB
import Revocation
import RevocationStores
import Testing

@testable import StoreFixtures

/// Accounts in a file: they outlive the process, and a row that is not what it should be is an error for its account alone.
@Suite struct SQLiteAccountTests {
    private let path: String
    private let ann = madeUID(1)

    init() throws {
        path = try TemporaryFolder().path("gatehouse.db")
    }

    private func open() throws -> SQLiteStore { try SQLiteStore(path: path, logger: .silent) }

    @Test func anAccountOutlivesARestart() async throws {
        let store = try open()
        let account = AccountRecord.made(ann, .apple("1"), email: "a@b.c", name: "Ann")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.setting("issuer", initial: [1]) == [1])
        try await store.close()
        let again = try open()
        #expect(try await again.account(ann) == account)
        #expect(try await again.uid(ofEmail: "a@b.c") == ann)
        #expect(try await again.owner(of: .apple("1")) == ann)
        #expect(try await again.setting("issuer", initial: [2]) == [1])
    }

    @Test func `an account of the third version loses its address with the first unlink`() async throws {
        let store = try open()
        _ = try await store.createAccount(.made(ann, .apple("1"), email: "a@b.c"), claimsEmail: true)
        _ = try await store.claim(.google("1"), for: ann)
        try await store.close()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    DROP TABLE unlinked;
                    ALTER TABLE account DROP COLUMN email_from;
                    ALTER TABLE account DROP COLUMN unlinked_more;
                    ALTER TABLE user DROP COLUMN last_session;
                    ALTER TABLE user DROP COLUMN revoked_at;
                    ALTER TABLE session DROP COLUMN authenticated_at;
                    PRAGMA user_version = 3;
                    """)
        }
        try queue.close()
        let old = try #require(try SQLiteLook.owner(path: path, of: .google("1")))
        #expect(old.email == "a@b.c" && old.emailFrom == nil && old.unlinked == [])
        let again = try open()
        #expect(try await again.account(ann) == old)
        _ = try await again.release(provider: "google.com", of: ann)
        #expect(try await again.account(ann)?.email == nil)
        #expect(try await again.account(ann)?.unlinked == [.google("1")])
        #expect(try await again.uid(ofEmail: "a@b.c") == nil)
    }

    @Test(arguments: ["0, NULL, 'soon'", "0, NULL, 1700000000000", "2, NULL, NULL", "0, x'FF', NULL"])
    func aFaultyAccountIsAnErrorForItAlone(_ values: String) async throws {
        try await open().close()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    PRAGMA ignore_check_constraints = ON;
                    INSERT INTO account (uid, email_verified, name, created) VALUES ('bad', \(values));
                    INSERT INTO link VALUES ('apple.com', '1', 'bad');
                    """)
        }
        try queue.close()
        let store = try open()
        await expectStoreError(.faultyRecord) { _ = try await store.account("bad") }
        await expectStoreError(.faultyRecord) { _ = try await store.release(provider: "apple.com", of: "bad") }
        #expect(try await store.claim(.google("1"), for: "ok") != .providerTaken)
        #expect(try await store.releaseAll(of: "bad") == [.apple("1")])
        #expect(try await store.owner(of: .apple("1")) == nil)
    }

    @Test func whatOneTransactionRefusesIsNotTold() async throws {
        let store = try open()
        let before = store.linkGenerations.generation(at: LinkGenerations.place(of: "apple.com:1"))
        _ = try await store.claim(.apple("1"), for: "u")
        let claimed = store.linkGenerations.generation(at: LinkGenerations.place(of: "apple.com:1"))
        #expect(claimed != before)
        _ = try await store.claim(.apple("1"), for: "v")
        #expect(store.linkGenerations.generation(at: LinkGenerations.place(of: "apple.com:1")) == claimed)
    }
}
