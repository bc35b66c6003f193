import Revocation
import RevocationStores
import Testing

@testable import StoreFixtures

/// Accounts in a file. A faulty row is an error only for its account.
@Suite struct SQLiteAccountTests {
    private let file: SQLiteFile
    private let ann = madeUID(1)

    init() throws {
        file = try SQLiteFile()
    }

    @Test func `an account survives a restart`() async throws {
        let store = try file.open()
        let account = AccountRecord.made(ann, .apple("1"), email: "a@b.c", name: "Ann")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.setting("issuer", initial: [1]) == [1])
        try await store.close()
        let again = try file.open()
        #expect(try await again.account(ann) == account)
        #expect(try await again.uid(ofEmail: "a@b.c") == ann)
        #expect(try await again.owner(of: .apple("1")) == ann)
        #expect(try await again.setting("issuer", initial: [2]) == [1])
    }

    @Test func `an account of the third version loses its address with the first unlink`() async throws {
        let store = try file.open()
        _ = try await store.createAccount(.made(ann, .apple("1"), email: "a@b.c"), claimsEmail: true)
        _ = try await store.claim(.google("1"), for: ann)
        try await store.close()
        try await file.downgrade(to: 3)
        let old = try #require(try SQLiteLookup.owner(path: file.path, of: .google("1")))
        #expect(old.email == "a@b.c" && old.emailFrom == nil && old.unlinked == [])
        let again = try file.open()
        #expect(try await again.account(ann) == old)
        _ = try await again.release(provider: "google.com", of: ann)
        #expect(try await again.account(ann)?.email == nil)
        #expect(try await again.account(ann)?.unlinked == [.google("1")])
        #expect(try await again.uid(ofEmail: "a@b.c") == nil)
    }

    @Test(arguments: ["0, NULL, 'soon'", "0, NULL, 1700000000000", "2, NULL, NULL", "0, x'FF', NULL"])
    func `a faulty account is an error only for itself`(_ values: String) async throws {
        try await file.open().close()
        try await file.execute(
            """
            PRAGMA ignore_check_constraints = ON;
            INSERT INTO account (uid, email_verified, name, created) VALUES ('bad', \(values));
            INSERT INTO link (provider, subject, uid) VALUES ('apple.com', '1', 'bad');
            """)
        let store = try file.open()
        await expectStoreError(.faultyRecord) { _ = try await store.account("bad") }
        await expectStoreError(.faultyRecord) { _ = try await store.release(provider: "apple.com", of: "bad") }
        #expect(try await store.claim(.google("1"), for: "ok") != .providerTaken)
        #expect(try await store.releaseAll(of: "bad") == [.apple("1")])
        #expect(try await store.owner(of: .apple("1")) == nil)
    }

    @Test func `a refused claim does not move the generation`() async throws {
        let store = try file.open()
        let place = LinkGenerations.place(of: "apple.com:1")
        _ = try await store.claim(.apple("1"), for: "u")
        let claimed = store.linkGenerations.generation(at: place)
        _ = try await store.claim(.apple("1"), for: "v")
        #expect(store.linkGenerations.generation(at: place) == claimed)
    }
}
