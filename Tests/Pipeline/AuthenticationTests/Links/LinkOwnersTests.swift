import Forwarding
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// The lifetime of an owner in the cache, and responses that a change overtook.
@Suite struct LinkOwnersTests {
    private static let name = "apple.com:user-1"
    fileprivate static let ada = AccountRecord(uid: "ada", created: 1)

    /// An authenticator of tokens of Apple and Firebase, with accounts.
    private struct Rig {
        let generations = LinkGenerations()
        let view = StoreView()
        let owners: LinkOwners
        let authenticator: Authenticator

        init(denies: Bool = false) throws {
            view.setAlwaysFresh()
            var identity = Configuration.Identity()
            identity.firebase = Configuration.Firebase(project: TokenDraft.project)
            identity.providers = [ProviderSample.apple.provider()]
            let (table, sources) = VerifierTable.make(of: identity)
            let renderer = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
            let hasher = try SHA256Hasher.required()
            owners = LinkOwners(
                generations: generations, view: view, maxStaleness: 60, deniesUnlinked: denies, hasher: hasher,
                render: { renderer.render($0) })
            authenticator = Authenticator(
                verifiers: table, keySets: sources.count, hasher: hasher,
                counters: WorkerCounters(routes: 1, upstreams: 1), owners: owners, render: { renderer.render($0) })
            for set in sources.indices { authenticator.install(.loaded(TokenDraft.keys), set: set) }
        }

        func outcome(
            _ token: String = Rig.token, now: Int64 = ManualClock.start, monotonic: UInt64 = 0
        ) -> Authenticator.Outcome {
            Array(token.utf8).withUnsafeBytes {
                authenticator.authenticate($0, kind: .idToken, now: now, monotonic: monotonic, waitingSince: nil)
            }
        }

        /// A description of the outcome. The uid of a verified token.
        func words(_ token: String = Rig.token, now: Int64 = ManualClock.start, monotonic: UInt64 = 0) -> String {
            switch outcome(token, now: now, monotonic: monotonic) {
            case .verified(let entry): entry.principal.uid
            case .refused(let failure): "\(failure.code.wire)"
            case .awaitOwner(.owner(let query)): "queries \(query.link.name)"
            case .awaitOwner(.view): "awaits the view"
            case .awaitOwner(.unknown(let failure)): "\(failure)"
            case .unavailable, .awaitKeys: "has no keys"
            }
        }

        func query() throws -> LinkQuery {
            guard case .awaitOwner(.owner(let query)) = outcome() else { throw TestFailure("no query") }
            return query
        }

        /// Responds to the lookup of the token with the current record of the store.
        func answer(_ account: AccountRecord?) throws {
            let query = try query()
            owners.keep(account, of: query.key, generation: owners.generation(at: query.place))
        }

        static let token = ProviderSample.apple.signed()
    }

    @Test func `an identity queries its owner once`() throws {
        let rig = try Rig()
        #expect(rig.words() == "queries \(Self.name)")
        try rig.answer(Self.ada)
        for _ in 0..<2 { #expect(rig.words() == "ada") }
        let other = ProviderSample.apple.signed { $0.with("jti", "\"2\"") }
        #expect(rig.words(other) == "ada")
    }

    @Test(arguments: [nil, LinkOwnersTests.ada])
    func `an entry is kept under the name of its owner, else of the identity`(owner: AccountRecord?) throws {
        let rig = try Rig()
        try rig.answer(owner)
        guard case .verified(let entry) = rig.outcome(), case .verified(let again) = rig.outcome() else {
            Issue.record("the token is not verified")
            return
        }
        #expect(entry === again)
        #expect(entry.principal.uid == owner?.user.uid ?? Self.name)
        guard owner != nil else { return }
        #expect(entry.derived?.uid == Self.name)
        #expect(entry.cost > entry.principal.claims.byteCount + entry.identity.bytes.count + 2048)
        #expect(String(decoding: entry.identity.bytes, as: UTF8.self).contains("X-Auth-Uid: ada\r\n"))
        #expect(rig.authenticator.cache.count == 1)
    }

    @Test func `a change of the link queries the owner again`() throws {
        let rig = try Rig()
        try rig.answer(Self.ada)
        #expect(rig.words() == "ada")
        rig.generations.changed(Self.name)
        try rig.answer(AccountRecord(uid: "bob"))
        #expect(rig.words() == "bob")
        rig.generations.changed(Self.name)
        try rig.answer(nil)
        #expect(rig.words() == Self.name)
        rig.generations.allChanged()
        try rig.answer(Self.ada)
        #expect(rig.words() == "ada")
    }

    @Test func `a change of another link queries nothing`() throws {
        let rig = try Rig()
        try rig.answer(Self.ada)
        #expect(rig.words() == "ada")
        let others = (0..<64).map { "google.com:\($0)" }.filter {
            LinkGenerations.place(of: $0) != LinkGenerations.place(of: Self.name)
        }
        for name in others { rig.generations.changed(name) }
        #expect(rig.words() == "ada")
    }

    @Test(arguments: [nil, AccountRecord(uid: "eve")])
    func `a response that a change overtook is dropped`(_ account: AccountRecord?) throws {
        let rig = try Rig()
        let query = try rig.query()
        let generation = rig.owners.generation(at: query.place)
        rig.generations.changed(Self.name)
        rig.owners.keep(account, of: query.key, generation: generation)
        #expect(rig.words() == "queries \(Self.name)")
        try rig.answer(Self.ada)
        #expect(rig.words() == "ada")
    }

    @Test func `an identity without an owner is denied if the configuration requires one`() throws {
        let rig = try Rig(denies: true)
        try rig.answer(nil)
        for _ in 0..<2 { #expect(rig.words() == "auth/permission-denied") }
        rig.generations.changed(Self.name)
        try rig.answer(Self.ada)
        #expect(rig.words() == "ada")
        rig.generations.changed(Self.name)
        try rig.answer(nil)
        for _ in 0..<2 { #expect(rig.words() == "auth/permission-denied") }
    }

    @Test func `no cached owner is used while the view is stale`() throws {
        let rig = try Rig()
        try rig.answer(Self.ada)
        #expect(rig.words() == "ada")
        rig.view.setStale()
        #expect(rig.words() == "awaits the view")
        rig.view.confirm(at: 0)
        #expect(rig.words(monotonic: 50) == "ada")
        #expect(rig.words(monotonic: 61) == "stale")
    }

    @Test func `an account with an invalid uid is a faulty record`() throws {
        let rig = try Rig()
        try rig.answer(AccountRecord(uid: ""))
        #expect(rig.words() == "faultyRecord")
    }

    @Test func `tokens of Firebase never query an owner`() throws {
        let rig = try Rig(denies: true)
        rig.view.setStale()
        for _ in 0..<2 { #expect(rig.words(TokenDraft.idToken().signed()) == "user-1") }
    }

    @Test func `a token with an owner still expires`() throws {
        let rig = try Rig()
        try rig.answer(Self.ada)
        _ = rig.outcome()
        #expect(rig.words(now: ManualClock.start + 3500) == "auth/id-token-expired")
    }
}
