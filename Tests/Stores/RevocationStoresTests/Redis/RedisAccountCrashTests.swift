import GatewayCore
import Redis
import Revocation
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures

/// The state after a gateway stops between two steps, and its completion by another gateway.
@Suite(.closingStores) struct RedisAccountCrashTests {
    private let ann = madeUID(0xa)
    private let bob = madeUID(0xb)

    private func half(_ commands: [[String]]) async throws -> (RedisDatabase, RedisStore) {
        let database = try await RedisDatabase.fresh()
        for command in commands { try database.server.cli(["-n", "\(database.number)"] + command) }
        return (database, try await database.loadedStore())
    }

    private func link(_ name: String, _ uid: String) -> [String] { ["SET", "gatehouse:link:{\(name)}", uid] }
    private func email(_ uid: String) -> [String] { ["SET", "gatehouse:email:{a@b.c}", uid] }
    private func account(_ uid: String, _ fields: String...) -> [String] {
        ["HSET", "gatehouse:account:{\(uid)}"] + fields
    }

    private var hash: [String] {
        account(ann.uid, "created", "1700000000", "email_verified", "1", "email", "a@b.c", "link:apple.com", "1")
    }

    @Test func `a creation that stopped after the hash is dropped`() async throws {
        let (_, store) = try await half([hash])
        let account = AccountRecord.made(bob, .apple("1"), email: "a@b.c")
        #expect(try await store.account(ann)?.links == [:])
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.owner(of: .apple("1")) == bob)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
    }

    @Test func `a creation that stopped after the address is completed`() async throws {
        let (database, store) = try await half([hash, email(ann.uid)])
        let account = AccountRecord.made(bob, .apple("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .linkTaken(uid: ann))
        #expect(try await store.owner(of: .apple("1")) == ann)
        var completed = AccountRecord.made(ann, .apple("1"), email: "a@b.c")
        completed.emailFrom = nil
        #expect(try await store.account(ann) == completed)
        #expect(try await store.account(bob) == nil)
        #expect(try database.contradictions() == "")
        #expect(try database.changes() == ["link apple.com:1 uid \(ann)"])
    }

    @Test func `a creation that stopped after the address keeps the address`() async throws {
        let (_, store) = try await half([hash, email(ann.uid)])
        let account = AccountRecord.made(bob, .google("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .emailTaken(uid: ann))
        #expect(try await store.owner(of: .google("1")) == nil)
    }

    @Test func `a creation that stopped before its entry is published by its repetition`() async throws {
        let (database, store) = try await half([
            hash, email(ann.uid), link("apple.com:1", ann.uid),
        ])
        let account = AccountRecord.made(ann, .apple("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try database.changes() == ["link apple.com:1 uid \(ann)"])
    }

    @Test(arguments: [[], ["name", "x"], ["created", "1", "email", "other@b.c"]])
    func `an address that its account does not have is free`(_ fields: [String]) async throws {
        let hash = fields.isEmpty ? [] : [["HSET", "gatehouse:account:{\(ann)}"] + fields]
        let (database, store) = try await half([email(ann.uid)] + hash)
        let account = AccountRecord.made(bob, .apple("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
        #expect(try database.contradictions() == "")
    }

    @Test func `an address of a Firebase user is taken`() async throws {
        let (_, store) = try await half([email("firebaseUser")])
        let account = AccountRecord.made(bob, .apple("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .emailTaken(uid: "firebaseUser"))
        _ = try await store.claim(.apple("2"), for: bob)
        #expect(
            try await !store.setEmail("a@b.c", verified: true, from: .apple("2"), of: bob, claimsEmail: true))
        #expect(try await store.account(bob) == AccountRecord(uid: bob, links: ["apple.com": "2"]))
    }

    @Test func `O-25: a change of the address that stopped before the account changed is repeated or dropped`()
        async throws
    {
        for repeats in [true, false] {
            let (database, store) = try await half([
                hash, email(ann.uid), link("apple.com:1", ann.uid), account(ann.uid, "releasing:n@b.c", "1"),
                ["SET", "gatehouse:email:{n@b.c}", ann.uid],
            ])
            let change = EmailChange(previous: "a@b.c", email: "n@b.c", proof: .identity(.apple("1")))
            if repeats {
                #expect(try await store.changeEmail(change, of: ann, claimsEmail: true) == .changed())
                #expect(try await store.uid(ofEmail: "a@b.c") == nil)
            }
            #expect(try await store.uid(ofEmail: "n@b.c") == (repeats ? ann : nil))
            #expect(try await store.account(ann)?.email == (repeats ? "n@b.c" : "a@b.c"))
            #expect(try database.contradictions() == "")
        }
    }

    @Test func `O-25: a change of the address that stopped after the account changed frees the previous one`()
        async throws
    {
        let (database, store) = try await half([
            hash, account(ann.uid, "email", "n@b.c", "releasing:a@b.c", "1"), email(ann.uid),
            link("apple.com:1", ann.uid), ["SET", "gatehouse:email:{n@b.c}", ann.uid],
        ])
        #expect(try await store.uid(ofEmail: "n@b.c") == ann)
        let account = AccountRecord.made(bob, .google("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
        #expect(try database.contradictions() == "")
    }

    @Test func `a claim that stopped after the key is completed`() async throws {
        let (database, store) = try await half([link("apple.com:1", "u")])
        let linked = AccountRecord(uid: "u", links: ["apple.com": "1"])
        #expect(try await store.claim(.apple("1"), for: "u") == .linked(linked))
        #expect(try database.contradictions() == "")
        #expect(try database.changes() == ["link apple.com:1 uid u"])
    }

    @Test func `a claim that stopped after the key loses to the listed link`() async throws {
        let (database, store) = try await half([
            link("apple.com:1", "u"), link("apple.com:2", "u"),
            account("u", "link:apple.com", "2"),
        ])
        #expect(try await store.claim(.apple("1"), for: "u") == .providerTaken)
        #expect(try await store.owner(of: .apple("1")) == nil)
        #expect(try database.contradictions() == "")
    }

    @Test func `a listed link without its key is ignored`() async throws {
        let (database, store) = try await half([
            account(ann.uid, "created", "5", "link:apple.com", "1", "link:google.com", "1"),
            link("apple.com:1", ann.uid), link("google.com:1", "other"),
            account("other", "link:google.com", "1"),
        ])
        #expect(try await store.account(ann)?.links == ["apple.com": "1"])
        #expect(try await store.release(provider: "apple.com", of: ann) == .last)
        #expect(try await store.claim(.google("2"), for: ann) != .providerTaken)
        #expect(try await store.account(ann)?.links == ["apple.com": "1", "google.com": "2"])
        #expect(try database.contradictions() == "")
    }

    @Test(arguments: [true, false])
    func `an interrupted removal is completed by its repetition`(_ keyIsLeft: Bool) async throws {
        let (database, store) = try await half([
            account("u", "unlinking:apple.com", "1"),
            ["SET", "gatehouse:link:{apple.com:1}", keyIsLeft ? "u" : "other"],
            account("other", "name", "x", keyIsLeft ? "note" : "link:apple.com", "1"),
        ])
        #expect(
            try await store.release(provider: "apple.com", of: "u") == .released(.apple("1"), AccountRecord(uid: "u")))
        #expect(try await store.owner(of: .apple("1")) == (keyIsLeft ? nil : "other"))
        #expect(try await store.release(provider: "apple.com", of: "u") == .absent)
        #expect(try database.contradictions() == "")
        #expect(try database.linkChanges() == ["link apple.com:1 uid "])
    }

    @Test(arguments: ["1", "2"])
    func `an interrupted removal is completed by the next claim`(_ subject: String) async throws {
        let (database, store) = try await half([
            account("u", "unlinking:apple.com", "1"),
            link("apple.com:1", "u"),
        ])
        let linked = AccountRecord(uid: "u", links: ["apple.com": subject])
        #expect(try await store.claim(.apple(subject), for: "u") == .linked(linked))
        #expect(try await store.owner(of: .apple("1")) == (subject == "1" ? "u" : nil))
        #expect(try database.contradictions() == "")
    }

    @Test func `a link that was claimed again after an interrupted removal is complete`() async throws {
        let (database, store) = try await half([
            account("u", "unlinking:apple.com", "1", "link:apple.com", "1"),
            link("apple.com:1", "u"),
        ])
        let account = AccountRecord(uid: "u", links: ["apple.com": "1"])
        #expect(try await store.release(provider: "apple.com", of: "u") == .released(.apple("1"), account))
        #expect(try await store.owner(of: .apple("1")) == "u")
        #expect(try database.contradictions() == "")
        #expect(try database.linkChanges() == ["link apple.com:1 uid ", "link apple.com:1 uid u"])
    }

    @Test func `removing all links completes the interrupted removals`() async throws {
        let (database, store) = try await half([
            account(
                "u", "unlinking:apple.com", "1", "link:google.com", "1", "link:apple.com", "2", "created", "milk"),
            link("apple.com:1", "u"), link("apple.com:2", "u"),
            link("google.com:1", "u"),
        ])
        #expect(Set(try await store.releaseAll(of: "u")) == [.apple("1"), .apple("2"), .google("1")])
        for link in [IdentityLink.apple("1"), .apple("2"), .google("1")] {
            #expect(try await store.owner(of: link) == nil)
        }
        #expect(try database.contradictions() == "")
        let fields = try database.cli("HGETALL", "gatehouse:account:{u}").split(separator: "\n")
        #expect(Set(fields) == ["created", "milk", "unlinked:apple.com:2", "unlinked:google.com:1", "1"])
    }

    /// An account whose unlink stopped after its first step.
    private var releasing: [[String]] {
        [
            account(
                ann.uid, "created", "1700000000", "link:google.com", "1", "unlinking:apple.com", "1",
                "unlinked:apple.com:1", "1", "releasing:a@b.c", "1"),
            link("google.com:1", ann.uid), link("apple.com:1", ann.uid),
            email(ann.uid),
        ]
    }

    @Test func `an address whose release was interrupted leads to no account`() async throws {
        let (database, store) = try await half(releasing)
        #expect(try await store.uid(ofEmail: "a@b.c") == nil)
        #expect(try database.cli("EXISTS", "gatehouse:email:{a@b.c}") == "0")
        #expect(try database.cli("HEXISTS", "gatehouse:account:{\(ann)}", "releasing:a@b.c") == "0")
    }

    @Test func `an address whose release was interrupted is free for another account`() async throws {
        let (database, store) = try await half(releasing)
        let account = AccountRecord.made(bob, .apple("2"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
        _ = try await store.release(provider: "apple.com", of: ann)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
        #expect(try database.contradictions() == "")
    }

    @Test func `the repetition of an unlink completes the release of the address`() async throws {
        let (database, store) = try await half(releasing)
        let left = AccountRecord(
            uid: ann, created: 1_700_000_000, links: ["google.com": "1"], unlinked: [.apple("1")])
        #expect(try await store.release(provider: "apple.com", of: ann) == .released(.apple("1"), left))
        #expect(try database.cli("EXISTS", "gatehouse:email:{a@b.c}") == "0")
        #expect(try database.contradictions() == "")
    }

    @Test func `an interrupted loss of an address ends the sessions before the address is free`() async throws {
        let completions: [(RedisStore) async throws -> Void] = [
            { store in _ = try await store.uid(ofEmail: "a@b.c") },
            { store in _ = try await store.release(provider: "apple.com", of: ann) },
            { store in _ = try await store.releaseAll(of: ann) },
        ]
        for complete in completions {
            let (database, store) = try await half(releasing + [account(ann.uid, "releasing:a@b.c", "lost")])
            try await complete(store)
            #expect(try await store.user(ann).validSince != nil)
            #expect(try database.cli("HEXISTS", "gatehouse:account:{\(ann)}", "releasing:a@b.c") == "0")
        }
        // A reservation for an account that did not get the address ends no session.
        let (_, store) = try await half(releasing)
        #expect(try await store.uid(ofEmail: "a@b.c") == nil)
        #expect(try await store.user(ann) == UserRecord())
    }

    @Test func `a purge completes an interrupted change of the address or unlink, with the end of the sessions`()
        async throws
    {
        let operations: [(RedisStore) async throws -> Void] = [
            { store in
                let change = EmailChange(previous: "a@b.c", email: "n@b.c", proof: .identity(.apple("1")))
                _ = try await store.changeEmail(change, of: ann, claimsEmail: true)
            },
            { store in _ = try await store.release(provider: "apple.com", of: ann) },
        ]
        let held = [hash, account(ann.uid, "link:google.com", "1"), email(ann.uid)]
        let links = [link("apple.com:1", ann.uid), link("google.com:1", ann.uid)]
        for operation in operations {
            // The operations fail when the sessions should end.
            let (database, store) = try await half(held + links + [["SET", "gatehouse:user:{\(ann)}", "x"]])
            await expectStoreError(.faultyRecord) { try await operation(store) }
            try database.cli("DEL", "gatehouse:user:{\(ann)}")
            let listed = try database.cli("HGET", "gatehouse:deleting", ann.uid)
            let begun = try #require(Int64(listed.dropFirst(RedisScript.loss.count)))
            _ = try await store.purge(now: begun + 59)
            #expect(try await store.user(ann) == UserRecord(), "another gateway may be at work")
            #expect(try await store.purge(now: begun + 60) == 0)
            #expect(try await store.user(ann).validSince != nil)
            #expect(try database.cli("HEXISTS", "gatehouse:account:{\(ann)}", "releasing:a@b.c") == "0")
            #expect(try database.cli("EXISTS", "gatehouse:deleting") == "0")
        }
        let (database, store) = try await half(held + links)
        for operation in operations { try await operation(store) }
        #expect(try database.cli("EXISTS", "gatehouse:deleting") == "0", "nothing was interrupted")
    }

    @Test func `an account whose address another account took loses it, with its sessions`() async throws {
        let (database, store) = try await half([
            hash, account(ann.uid, "releasing:a@b.c", "1", "unlinking:google.com", "1"), link("apple.com:1", ann.uid),
            email(bob.uid),
            account(bob.uid, "created", "1700000000", "email", "a@b.c", "link:oidc.a", "1"), link("oidc.a:1", bob.uid),
        ])
        _ = try await store.release(provider: "google.com", of: ann)
        #expect(try await store.account(ann)?.email == nil)
        #expect(try await store.user(ann).validSince != nil)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
        #expect(try await store.user(bob) == UserRecord())
        #expect(try database.contradictions() == "")
    }

    @Test func `an account whose address another account has is refused, and keeps its address and its sessions`()
        async throws
    {
        let (_, store) = try await half([
            hash, link("apple.com:1", ann.uid), email(bob.uid),
            account(bob.uid, "created", "1700000000", "email", "a@b.c", "link:oidc.a", "1"), link("oidc.a:1", bob.uid),
        ])
        let change = EmailChange(previous: "a@b.c", email: "a@b.c", proof: .identity(.apple("1")))
        #expect(try await store.changeEmail(change, of: ann, claimsEmail: true) == .taken(uid: bob))
        #expect(try await !store.setEmail("a@b.c", verified: true, from: .apple("1"), of: ann, claimsEmail: true))
        #expect(try await store.account(ann)?.email == "a@b.c")
        #expect(try await store.user(ann) == UserRecord())
    }

    @Test func `no session continues if the account lost two addresses`() async throws {
        let (_, store) = try await half(
            releasing + [account(ann.uid, "releasing:a@b.c", "lost", "releasing:n@b.c", "lost")])
        let start = try await store.beginSession(ann, at: 1_700_000_000).started
        let release = try await store.release(provider: "apple.com", of: ann, keeping: start)
        guard case .released(_, _, _, let lost?) = release else {
            Issue.record("the account lost no address")
            return
        }
        #expect(lost.restarted == nil)
        #expect(try #require(try await store.user(ann).validSince) >= start)
    }

    @Test func `the mark of an address that was lost again meanwhile stays`() async throws {
        let (database, store) = try await half(releasing + [account(ann.uid, "releasing:a@b.c", "lost")])
        for mark in ["1", ""] {
            let command = RedisScript.released.command(RedisKeys.account(ann), ["a@b.c", mark])
            #expect(try await store.commands.query(command) == [.integer(0)])
            #expect(try database.cli("HGET", "gatehouse:account:{\(ann)}", "releasing:a@b.c") == "lost")
        }
    }

    /// The entry is appended also if the command before it fails.
    @Test func `the end of a user's sessions and its entry are one pipeline`() async throws {
        let (database, store) = try await half(
            releasing + [account(ann.uid, "releasing:a@b.c", "lost"), ["SET", "gatehouse:user:{\(ann)}", "x"]])
        await expectStoreError(.faultyRecord) { _ = try await store.uid(ofEmail: "a@b.c") }
        #expect(try database.changes().count == 1)
        #expect(try database.cli("HGET", "gatehouse:account:{\(ann)}", "releasing:a@b.c") == "lost")
    }

    @Test func `an account regains an address whose release was interrupted`() async throws {
        let (database, store) = try await half(releasing)
        #expect(try await store.setEmail("a@b.c", verified: true, from: .google("1"), of: ann, claimsEmail: true))
        #expect(try await store.uid(ofEmail: "a@b.c") == ann)
        _ = try await store.release(provider: "apple.com", of: ann)
        #expect(try await store.uid(ofEmail: "a@b.c") == ann)
        #expect(try await store.account(ann)?.emailFrom == "google.com")
        #expect(try database.contradictions() == "")
    }

    @Test func `an address that was claimed and not stored leads to no account`() async throws {
        let (database, store) = try await half([
            account("u", "link:google.com", "1", "releasing:a@b.c", "1"),
            link("google.com:1", "u"), email("u"),
        ])
        #expect(try await store.uid(ofEmail: "a@b.c") == nil)
        #expect(try database.contradictions() == "")
    }
}
