import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import RedisFixtures
@testable import StoreFixtures

/// What a gateway leaves that stops between two steps, and how the next one finishes it.
@Suite struct RedisAccountCrashTests {
    private let ann = madeUID(0xa)
    private let bob = madeUID(0xb)

    private func half(_ commands: [[String]]) async throws -> (RedisDatabase, RedisStore) {
        let database = try await RedisDatabase.fresh()
        for command in commands { try database.server.cli(["-n", "\(database.number)"] + command) }
        return (database, try await database.loadedStore())
    }

    private var hash: [String] {
        [
            "HSET", "gatehouse:account:{\(ann)}", "created", "1700000000", "email_verified", "1", "email", "a@b.c",
            "link:apple.com", "1",
        ]
    }

    @Test func aCreationThatStoppedAfterTheHashIsForgotten() async throws {
        let (_, store) = try await half([hash])
        let account = AccountRecord.made(bob, .apple("1"), email: "a@b.c")
        #expect(try await store.account(ann)?.links == [:])
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.owner(of: .apple("1")) == bob)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
    }

    @Test func aCreationThatStoppedAfterTheAddressIsCompleted() async throws {
        let (database, store) = try await half([hash, ["SET", "gatehouse:email:{a@b.c}", ann.uid]])
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

    @Test func aCreationThatStoppedAfterTheAddressIsNotAnotherIdentitys() async throws {
        let (_, store) = try await half([hash, ["SET", "gatehouse:email:{a@b.c}", ann.uid]])
        let account = AccountRecord.made(bob, .google("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .emailTaken(uid: ann))
        #expect(try await store.owner(of: .google("1")) == nil)
    }

    @Test func aCreationThatStoppedBeforeItWasToldIsToldByItsRepetition() async throws {
        let (database, store) = try await half([
            hash, ["SET", "gatehouse:email:{a@b.c}", ann.uid], ["SET", "gatehouse:link:{apple.com:1}", ann.uid],
        ])
        let account = AccountRecord.made(ann, .apple("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try database.changes() == ["link apple.com:1 uid \(ann)"])
    }

    @Test(arguments: [[], ["name", "x"], ["created", "1", "email", "other@b.c"]])
    func anAddressThatAnAccountOfOursDoesNotHaveIsFree(_ fields: [String]) async throws {
        let hash = fields.isEmpty ? [] : [["HSET", "gatehouse:account:{\(ann)}"] + fields]
        let (database, store) = try await half([["SET", "gatehouse:email:{a@b.c}", ann.uid]] + hash)
        let account = AccountRecord.made(bob, .apple("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
        #expect(try database.contradictions() == "")
    }

    @Test func anAddressOfAUserWhoWasNotMadeHereIsTheirs() async throws {
        let (_, store) = try await half([["SET", "gatehouse:email:{a@b.c}", "firebaseUser"]])
        let account = AccountRecord.made(bob, .apple("1"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .emailTaken(uid: "firebaseUser"))
        _ = try await store.claim(.apple("2"), for: bob)
        #expect(
            try await !store.setEmail("a@b.c", verified: true, from: .apple("2"), of: bob, claimsEmail: true))
        #expect(try await store.account(bob) == AccountRecord(uid: bob, links: ["apple.com": "2"]))
    }

    @Test func aClaimThatStoppedAfterTheKeyIsCompleted() async throws {
        let (database, store) = try await half([["SET", "gatehouse:link:{apple.com:1}", "u"]])
        let linked = AccountRecord(uid: "u", links: ["apple.com": "1"])
        #expect(try await store.claim(.apple("1"), for: "u") == .linked(linked))
        #expect(try database.contradictions() == "")
        #expect(try database.changes() == ["link apple.com:1 uid u"])
    }

    @Test func aClaimThatStoppedAfterTheKeyLosesItToTheListedOne() async throws {
        let (database, store) = try await half([
            ["SET", "gatehouse:link:{apple.com:1}", "u"], ["SET", "gatehouse:link:{apple.com:2}", "u"],
            ["HSET", "gatehouse:account:{u}", "link:apple.com", "2"],
        ])
        #expect(try await store.claim(.apple("1"), for: "u") == .providerTaken)
        #expect(try await store.owner(of: .apple("1")) == nil)
        #expect(try database.contradictions() == "")
    }

    @Test func aListedLinkThatIsNotHeldDoesNotCount() async throws {
        let (database, store) = try await half([
            ["HSET", "gatehouse:account:{\(ann)}", "created", "5", "link:apple.com", "1", "link:google.com", "1"],
            ["SET", "gatehouse:link:{apple.com:1}", ann.uid], ["SET", "gatehouse:link:{google.com:1}", "other"],
            ["HSET", "gatehouse:account:{other}", "link:google.com", "1"],
        ])
        #expect(try await store.account(ann)?.links == ["apple.com": "1"])
        #expect(try await store.release(provider: "apple.com", of: ann) == .last)
        #expect(try await store.claim(.google("2"), for: ann) != .providerTaken)
        #expect(try await store.account(ann)?.links == ["apple.com": "1", "google.com": "2"])
        #expect(try database.contradictions() == "")
    }

    @Test(arguments: [true, false])
    func anEndThatStoppedIsFinishedByItsRepetition(_ keyIsLeft: Bool) async throws {
        let (database, store) = try await half([
            ["HSET", "gatehouse:account:{u}", "unlinking:apple.com", "1"],
            ["SET", "gatehouse:link:{apple.com:1}", keyIsLeft ? "u" : "other"],
            ["HSET", "gatehouse:account:{other}", "name", "x", keyIsLeft ? "note" : "link:apple.com", "1"],
        ])
        #expect(
            try await store.release(provider: "apple.com", of: "u") == .released(.apple("1"), AccountRecord(uid: "u")))
        #expect(try await store.owner(of: .apple("1")) == (keyIsLeft ? nil : "other"))
        #expect(try await store.release(provider: "apple.com", of: "u") == .absent)
        #expect(try database.contradictions() == "")
        #expect(try database.linkChanges() == ["link apple.com:1 uid "])
    }

    @Test(arguments: ["1", "2"])
    func anEndThatStoppedIsFinishedByTheNextClaim(_ subject: String) async throws {
        let (database, store) = try await half([
            ["HSET", "gatehouse:account:{u}", "unlinking:apple.com", "1"],
            ["SET", "gatehouse:link:{apple.com:1}", "u"],
        ])
        let linked = AccountRecord(uid: "u", links: ["apple.com": subject])
        #expect(try await store.claim(.apple(subject), for: "u") == .linked(linked))
        #expect(try await store.owner(of: .apple("1")) == (subject == "1" ? "u" : nil))
        #expect(try database.contradictions() == "")
    }

    @Test func aLinkThatWasMadeAnewWhileItsEndStoppedIsWhole() async throws {
        let (database, store) = try await half([
            ["HSET", "gatehouse:account:{u}", "unlinking:apple.com", "1", "link:apple.com", "1"],
            ["SET", "gatehouse:link:{apple.com:1}", "u"],
        ])
        let account = AccountRecord(uid: "u", links: ["apple.com": "1"])
        #expect(try await store.release(provider: "apple.com", of: "u") == .released(.apple("1"), account))
        #expect(try await store.owner(of: .apple("1")) == "u")
        #expect(try database.contradictions() == "")
        #expect(try database.linkChanges() == ["link apple.com:1 uid ", "link apple.com:1 uid u"])
    }

    @Test func endingAllLinksFinishesThoseThatStopped() async throws {
        let (database, store) = try await half([
            [
                "HSET", "gatehouse:account:{u}", "unlinking:apple.com", "1", "link:google.com", "1", "link:apple.com",
                "2", "created", "milk",
            ],
            ["SET", "gatehouse:link:{apple.com:1}", "u"], ["SET", "gatehouse:link:{apple.com:2}", "u"],
            ["SET", "gatehouse:link:{google.com:1}", "u"],
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
            [
                "HSET", "gatehouse:account:{\(ann)}", "created", "1700000000", "link:google.com", "1",
                "unlinking:apple.com", "1", "unlinked:apple.com:1", "1", "releasing:a@b.c", "1",
            ],
            ["SET", "gatehouse:link:{google.com:1}", ann.uid], ["SET", "gatehouse:link:{apple.com:1}", ann.uid],
            ["SET", "gatehouse:email:{a@b.c}", ann.uid],
        ]
    }

    @Test func `an address whose release stopped leads nowhere`() async throws {
        let (database, store) = try await half(releasing)
        #expect(try await store.uid(ofEmail: "a@b.c") == nil)
        #expect(try database.cli("EXISTS", "gatehouse:email:{a@b.c}") == "0")
        #expect(try database.cli("HEXISTS", "gatehouse:account:{\(ann)}", "releasing:a@b.c") == "0")
    }

    @Test func `an address whose release stopped is free for another account`() async throws {
        let (database, store) = try await half(releasing)
        let account = AccountRecord.made(bob, .apple("2"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
        _ = try await store.release(provider: "apple.com", of: ann)
        #expect(try await store.uid(ofEmail: "a@b.c") == bob)
        #expect(try database.contradictions() == "")
    }

    @Test func `the repetition of an unlink finishes the release of the address`() async throws {
        let (database, store) = try await half(releasing)
        let left = AccountRecord(
            uid: ann, created: 1_700_000_000, links: ["google.com": "1"], unlinked: [.apple("1")])
        #expect(try await store.release(provider: "apple.com", of: ann) == .released(.apple("1"), left))
        #expect(try database.cli("EXISTS", "gatehouse:email:{a@b.c}") == "0")
        #expect(try database.contradictions() == "")
    }

    @Test func `an account gets the address back whose release stopped`() async throws {
        let (database, store) = try await half(releasing)
        #expect(try await store.setEmail("a@b.c", verified: true, from: .google("1"), of: ann, claimsEmail: true))
        #expect(try await store.uid(ofEmail: "a@b.c") == ann)
        _ = try await store.release(provider: "apple.com", of: ann)
        #expect(try await store.uid(ofEmail: "a@b.c") == ann)
        #expect(try await store.account(ann)?.emailFrom == "google.com")
        #expect(try database.contradictions() == "")
    }

    @Test func `an address that was taken and not kept leads nowhere`() async throws {
        let (database, store) = try await half([
            ["HSET", "gatehouse:account:{u}", "link:google.com", "1", "releasing:a@b.c", "1"],
            ["SET", "gatehouse:link:{google.com:1}", "u"], ["SET", "gatehouse:email:{a@b.c}", "u"],
        ])
        #expect(try await store.uid(ofEmail: "a@b.c") == nil)
        #expect(try database.contradictions() == "")
    }
}
