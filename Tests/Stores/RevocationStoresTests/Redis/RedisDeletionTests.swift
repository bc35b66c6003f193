import GatewayCore
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import RedisFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// Deletions of accounts that a gateway began and did not complete, and the keys that remain.
@Suite(.closingStores) struct RedisDeletionTests {
    private static let ann = madeUID(0xa)
    private static let now: UnixTime = 1_700_000_000
    private static let key = "gatehouse:account:{\(ann)}"

    /// The state after a step of a deletion.
    enum Step: Int, CaseIterable {
        case listed = 1, disabled, dataDeleted, linkRemoved, unlinked
    }

    /// The commands of the account and of all steps up to `step`.
    private static func commands(_ step: Step) -> [[String]] {
        var commands = [
            ["HSET", "gatehouse:deleting", ann.name, "\(now)"],
            ["HSET", "gatehouse:user:{\(ann)}", "last_session", "1699999999"],
            ["SET", "gatehouse:link:{apple.com:1}", ann.name], ["SET", "gatehouse:email:{a@b.c}", ann.name],
        ]
        if step.rawValue >= Step.disabled.rawValue {
            commands.append([
                "HSET", "gatehouse:user:{\(ann)}", "valid_since", "\(now)", "disabled", "1", "deleted", "\(now)",
            ])
        }
        switch step {
        case .listed, .disabled:
            commands.append([
                "HSET", key, "created", "1600000000", "email_verified", "1", "email", "a@b.c", "email_from",
                "apple.com", "name", "Ann", "link:apple.com", "1", "unlinked_more", "1",
            ])
        case .dataDeleted:
            commands.append(["HSET", key, "deleted", "\(now)", "releasing:a@b.c", "1", "unlinking:apple.com", "1"])
        case .linkRemoved:
            commands.append(["HSET", key, "deleted", "\(now)", "unlinking:apple.com", "1"])
            commands += [["DEL", "gatehouse:link:{apple.com:1}"], ["DEL", "gatehouse:email:{a@b.c}"]]
        case .unlinked:
            commands.append(["HSET", key, "deleted", "\(now)"])
            commands += [["DEL", "gatehouse:link:{apple.com:1}"], ["DEL", "gatehouse:email:{a@b.c}"]]
        }
        return commands
    }

    private func interrupted(_ step: Step) async throws -> (RedisDatabase, RedisStore) {
        let database = try await RedisDatabase.fresh()
        for command in Self.commands(step) { try database.server.cli(["-n", "\(database.number)"] + command) }
        return (database, try await database.loadedStore())
    }

    private func expectDeleted(
        _ database: RedisDatabase, _ store: RedisStore, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) async throws {
        #expect(
            try database.cli("HGETALL", Self.key) == "deleted\n\(Self.now)", "nothing else remains",
            sourceLocation: sourceLocation)
        for key in ["gatehouse:link:{apple.com:1}", "gatehouse:email:{a@b.c}", "gatehouse:deleting"] {
            #expect(try database.cli("EXISTS", key) == "0", "\(key)", sourceLocation: sourceLocation)
        }
        #expect(try database.contradictions() == "", sourceLocation: sourceLocation)
        let record = try await store.user(Self.ann)
        #expect(record == UserRecord(validSince: Self.now, disabled: true), sourceLocation: sourceLocation)
    }

    @Test(arguments: Step.allCases.dropFirst())
    func `O-26: no interrupted step leaves an account that a credential opens`(_ step: Step) async throws {
        let (_, store) = try await interrupted(step)
        #expect(try store.view.user(Self.ann.uid) == .record(validSince: Self.now, disabled: true))
        #expect(try await store.claim(.google("1"), for: Self.ann) == (step == .disabled ? .linked(claimed) : .deleted))
        #expect(try await store.setDisabled(Self.ann, false).disabled)
    }

    /// The account before its data is deleted, with the link that was claimed. Its user is disabled.
    private var claimed: AccountRecord {
        var account = AccountRecord.made(Self.ann, .apple("1"), email: "a@b.c", name: "Ann")
        account.created = 1_600_000_000
        account.links["google.com"] = "1"
        account.unlinked.hasMore = true
        return account
    }

    @Test(arguments: Step.allCases.dropFirst())
    func `a purge completes a deletion`(_ step: Step) async throws {
        let (database, store) = try await interrupted(step)
        #expect(try await store.purge(now: Self.now.adding(59).seconds) == 0, "another gateway may be at work")
        #expect(try database.cli("HLEN", "gatehouse:deleting") == "1")
        #expect(try await store.purge(now: Self.now.adding(60).seconds) == 1)
        try await expectDeleted(database, store)
        // The entry may have been missing.
        #expect(try database.changes().contains("uid \(Self.ann) disabled 1"))
    }

    @Test(arguments: Step.allCases.dropFirst())
    func `the next sign-in of an identity completes a deletion`(_ step: Step) async throws {
        let (database, store) = try await interrupted(step)
        #expect(try await store.completeDeletion(of: Self.ann, holding: .apple("1")))
        try await expectDeleted(database, store)
        #expect(try database.changes().contains("uid \(Self.ann) disabled 1"))
        let next = AccountRecord.made(madeUID(0xb), .apple("1"), email: "a@b.c")
        #expect(try await store.createAccount(next, claimsEmail: true) == .created)
    }

    @Test(arguments: Step.allCases)
    func `a repetition completes a deletion`(_ step: Step) async throws {
        let (database, store) = try await interrupted(step)
        guard case .deleted = try await store.deleteAccount(Self.ann, unlessChangedFrom: nil) else {
            Issue.record("not deleted")
            return
        }
        try await expectDeleted(database, store)
    }

    @Test func `a deletion that did not begin is dropped`() async throws {
        let (database, store) = try await interrupted(.listed)
        #expect(try await !store.completeDeletion(of: Self.ann, holding: .apple("1")))
        #expect(try await store.purge(now: Self.now.adding(60).seconds) == 0)
        #expect(try database.cli("EXISTS", "gatehouse:deleting") == "0")
        #expect(try await store.account(Self.ann)?.name == "Ann")
        #expect(try await !store.user(Self.ann).disabled)
    }

    @Test func `a refused deletion stays in the list until a purge`() async throws {
        let (database, store) = try await interrupted(.listed)
        try await store.revoke(Self.ann, at: Self.now.seconds)
        #expect(try await store.deleteAccount(Self.ann, unlessChangedFrom: UserRecord()) == .changed)
        #expect(try database.cli("HLEN", "gatehouse:deleting") == "1")
        _ = try await store.purge(now: Self.now.adding(60).seconds)
        #expect(try database.cli("HLEN", "gatehouse:deleting") == "0")
        #expect(try await store.account(Self.ann)?.name == "Ann")
    }

    @Test func `a key of a link that was interrupted by the deletion is removed by the next sign-in`() async throws {
        let (database, store) = try await interrupted(.unlinked)
        try database.cli("SET", "gatehouse:link:{google.com:1}", Self.ann.name)
        #expect(try await store.completeDeletion(of: Self.ann, holding: .google("1")))
        #expect(try await store.owner(of: .google("1")) == nil)
        try await expectDeleted(database, store)
    }

    @Test func `invalid entries of the list are dropped`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        try database.cli("HSET", "gatehouse:deleting", "", "1", "x", "milk", "y", "99999999999999", "z\u{1}", "1")
        #expect(try await store.purge(now: Self.now.seconds) == 0)
        #expect(try database.cli("EXISTS", "gatehouse:deleting") == "0")
    }

    @Test func `a list of another type fails the deletion before it begins`() async throws {
        let (database, store) = try await interrupted(.listed)
        try database.cli("DEL", "gatehouse:deleting")
        try database.cli("SET", "gatehouse:deleting", "x")
        await expectStoreError(.faultyRecord) {
            _ = try await store.deleteAccount(Self.ann, unlessChangedFrom: nil)
        }
        #expect(try await !store.user(Self.ann).disabled)
    }

    @Test func `an account with faulty fields can be deleted`() async throws {
        let (database, store) = try await interrupted(.listed)
        try database.cli("HSET", Self.key, "created", "milk", "email_verified", "2")
        try database.cli("HSET", "gatehouse:user:{\(Self.ann)}", "valid_since", "milk")
        guard case .deleted([.apple("1")], _) = try await store.deleteAccount(Self.ann, unlessChangedFrom: nil) else {
            Issue.record("not deleted")
            return
        }
        try await expectDeleted(database, store)
    }

    @Test func `a deletion that ends late ends no session of the identity's next account`() async throws {
        let (_, store) = try await interrupted(.linkRemoved)
        let next = AccountRecord.made(madeUID(0xb), .apple("1"))
        #expect(try await store.createAccount(next, claimsEmail: false) == .created)
        let started = try await store.beginSession(UserKey(.apple("1")), at: Self.now.adding(30).seconds).started
        #expect(try await store.purge(now: Self.now.adding(60).seconds) == 1)
        let identity = try await store.user(UserKey(.apple("1")))
        #expect(identity == UserRecord(validSince: Self.now.adding(1)))
        #expect(started > Self.now.adding(1))
        #expect(try await store.owner(of: .apple("1")) == next.user)
    }

    // MARK: - Stalled calls

    /// Creates a store behind a middlebox that runs `commands`, like another gateway, at the first reply that
    /// `matches`, before the store receives it.
    private func store(
        _ database: RedisDatabase, _ middlebox: RedisMiddlebox, running commands: [[String]],
        at matches: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws -> RedisStore {
        let store = try database.store(port: middlebox.port)
        try await store.load()
        let hasRun = Atomic(false)
        middlebox.apply(.lost) { reply in
            guard matches(reply), !hasRun.exchange(true, ordering: .relaxed) else { return false }
            for command in commands {
                do { try database.server.cli(["-n", "\(database.number)"] + command) } catch { Issue.record(error) }
            }
            return false
        }
        return store
    }

    @Test func `a purge completes a deletion that begins while the purge drops it`() async throws {
        let (database, _) = try await interrupted(.listed)
        let middlebox = try RedisMiddlebox(before: database.server)
        defer { middlebox.stop() }
        // The reply that the user has no time of deletion. The stalled call then disables the user and stops.
        let disabling = Self.commands(.disabled).filter { $0.contains("deleted") || $0.contains("gatehouse:deleting") }
        let store = try await store(database, middlebox, running: disabling) { $0.elementsEqual("$-1\r\n".utf8) }
        #expect(try await store.purge(now: Self.now.adding(60).seconds) == 1)
        try await expectDeleted(database, store)
    }

    @Test func `an unlink that stalls does not complete the removal of a later deletion`() async throws {
        let database = try await RedisDatabase.fresh()
        try database.cli("HSET", Self.key, "created", "1600000000", "link:google.com", "1", "unlinking:apple.com", "1")
        try database.cli("SET", "gatehouse:link:{google.com:1}", Self.ann.name)
        let middlebox = try RedisMiddlebox(before: database.server)
        defer { middlebox.stop() }
        // The unlink has deleted the key. Other gateways link the identity again and begin to delete the account.
        let deleting = [
            ["SET", "gatehouse:link:{apple.com:1}", Self.ann.name],
            ["HSET", "gatehouse:deleting", Self.ann.name, "\(Self.now)"],
            [
                "HSET", "gatehouse:user:{\(Self.ann)}", "valid_since", "\(Self.now)", "disabled", "1", "deleted",
                "\(Self.now)",
            ],
            ["HSET", Self.key, "deleted", "\(Self.now)"],
        ]
        // The first such reply is that to the listing of the unlink.
        let earlier = Atomic(0)
        let store = try await store(database, middlebox, running: deleting) {
            $0.elementsEqual(":1\r\n".utf8) && earlier.wrappingAdd(1, ordering: .relaxed).oldValue == 1
        }
        _ = try await store.release(provider: "apple.com", of: Self.ann)
        #expect(try database.cli("HGET", Self.key, "unlinking:apple.com") == "1")
        #expect(try await store.purge(now: Self.now.adding(60).seconds) == 1)
        #expect(try await store.owner(of: .apple("1")) == nil)
        try await expectDeleted(database, store)
    }

    // MARK: - Interruptions

    @Test func `O-26: the disabling of the user is published even if its reply is lost`() async throws {
        let (database, _) = try await interrupted(.listed)
        let middlebox = try RedisMiddlebox(before: database.server)
        defer { middlebox.stop() }
        let store = try database.store(port: middlebox.port)
        try await store.load()
        middlebox.apply(.lost) { $0.elementsEqual("$8\r\ndisabled\r\n".utf8) }
        let deletion = Task { try? await store.deleteAccount(Self.ann, unlessChangedFrom: nil) }
        _ = try await eventually("the entry") {
            try database.changes().contains("uid \(Self.ann) disabled 1") ? true : nil
        }
        middlebox.stop()
        #expect(await deletion.value == nil)
        #expect(try database.cli("HGET", "gatehouse:user:{\(Self.ann)}", "disabled") == "1")
    }

    @Test func `O-26: a repetition disables a user whose record was lost`() async throws {
        let (database, store) = try await interrupted(.unlinked)
        try database.cli("DEL", "gatehouse:user:{\(Self.ann)}")
        #expect(try await store.deleteAccount(Self.ann, unlessChangedFrom: UserRecord()) == .deleted([]))
        try await expectDeleted(database, store)
        #expect(try database.changes().contains("uid \(Self.ann) disabled 1"))
    }

    @Test func `a sign-in by the address of an account completes its deletion`() async throws {
        let (database, store) = try await interrupted(.disabled)
        #expect(try await store.uid(ofEmail: "a@b.c") == nil)
        try await expectDeleted(database, store)
    }

    @Test func `a completion that fails is in the list`() async throws {
        let (database, store) = try await interrupted(.disabled)
        try database.cli("DEL", "gatehouse:deleting", "gatehouse:link:{apple.com:1}")
        try database.cli("RPUSH", "gatehouse:link:{apple.com:1}", "x")
        await expectStoreError(.faultyRecord) {
            _ = try await store.completeDeletion(of: Self.ann, holding: .google("1"))
        }
        #expect(try database.cli("HGET", "gatehouse:deleting", Self.ann.name) == "\(Self.now)")
    }

    @Test func `a deletion that fails does not prevent the others`() async throws {
        let (database, store) = try await interrupted(.disabled)
        let bob = madeUID(0xb)
        try database.cli("SET", "gatehouse:account:{\(bob)}", "x")
        try database.cli("DEL", "gatehouse:deleting")
        try database.cli("HSET", "gatehouse:deleting", bob.name, "\(Self.now)", Self.ann.name, "\(Self.now)")
        #expect(try await store.purge(now: Self.now.adding(60).seconds) == 1)
        #expect(try database.cli("HKEYS", "gatehouse:deleting") == bob.name)
        #expect(try await store.account(Self.ann) == nil)
    }
}
