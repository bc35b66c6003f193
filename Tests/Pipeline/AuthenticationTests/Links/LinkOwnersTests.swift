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

/// How long an owner holds, and what an answer does that a change overtook.
@Suite struct LinkOwnersTests {
    private let generations = LinkGenerations()
    private let view = StoreView()
    private let hasher: SHA256Hasher
    private static let name = "apple.com:user-1"
    private static let ada = AccountRecord(uid: "ada", created: 1)

    init() throws {
        hasher = try SHA256Hasher.required()
        view.setAlwaysFresh()
    }

    /// An authenticator of Apple's and Firebase's tokens, with accounts.
    private func rig(denies: Bool = false) throws -> (Authenticator, LinkOwners) {
        var identity = Configuration.Identity()
        identity.firebase = Configuration.Firebase(project: TokenDraft.project)
        identity.providers = [ProviderSample.apple.provider()]
        let (table, sources) = VerifierTable.make(of: identity)
        let renderer = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
        let owners = LinkOwners(
            generations: generations, view: view, maxStaleness: 60, deniesUnlinked: denies, hasher: hasher,
            render: { renderer.render($0) })
        let authenticator = Authenticator(
            verifiers: table, keySets: sources.count, hasher: hasher,
            counters: WorkerCounters(routes: 1, upstreams: 1), owners: owners, render: { renderer.render($0) })
        for set in sources.indices {
            authenticator.install(
                KeySetView(
                    keys: TokenDraft.keys, generation: 1, isLoaded: true, lastFetchSucceeded: true, usableUntil: .max,
                    cooldownUntil: .max), set: set)
        }
        return (authenticator, owners)
    }

    private static let token = ProviderSample.apple.signed()

    private func outcome(
        _ authenticator: Authenticator, _ token: String = LinkOwnersTests.token, monotonic: UInt64 = 0
    ) -> Authenticator.Outcome {
        Array(token.utf8).withUnsafeBytes {
            authenticator.authenticate(
                $0, kind: .idToken, now: ManualClock.start, monotonic: monotonic, waitingSince: nil)
        }
    }

    private func word(_ outcome: Authenticator.Outcome) -> String {
        switch outcome {
        case .verified(let entry): entry.principal.uid
        case .refused(let failure): "\(failure.code.wire)"
        case .awaitOwner(.owner(let question)): "asks of \(question.link.name)"
        case .awaitOwner(.view): "awaits the view"
        case .awaitOwner(.unknown(let failure)): "\(failure)"
        case .unavailable, .awaitKeys: "has no keys"
        }
    }

    private func question(_ authenticator: Authenticator) throws -> LinkQuestion {
        guard case .awaitOwner(.owner(let question)) = outcome(authenticator) else { throw NoQuestion() }
        return question
    }

    private struct NoQuestion: Error {}

    /// What the store says, asked at this very moment.
    private func answer(_ account: AccountRecord?, to question: LinkQuestion, _ owners: LinkOwners) {
        owners.keep(account, of: question.key, generation: owners.generation(at: question.place))
    }

    @Test func aTokenThatWasNeverSeenAsksOnce() throws {
        let (authenticator, owners) = try rig()
        #expect(word(outcome(authenticator)) == "asks of \(Self.name)")
        answer(Self.ada, to: try question(authenticator), owners)
        #expect(word(outcome(authenticator)) == "ada")
        #expect(word(outcome(authenticator)) == "ada")
    }

    @Test func anotherTokenOfTheIdentityNeedNotAsk() throws {
        let (authenticator, owners) = try rig()
        answer(Self.ada, to: try question(authenticator), owners)
        let other = ProviderSample.apple.signed { $0.with("jti", "\"2\"") }
        #expect(word(outcome(authenticator, other)) == "ada")
    }

    @Test func anIdentityThatBelongsToNobodyNamesItself() throws {
        let (authenticator, owners) = try rig()
        answer(nil, to: try question(authenticator), owners)
        guard case .verified(let entry) = outcome(authenticator), case .verified(let again) = outcome(authenticator)
        else {
            Issue.record("it does not pass")
            return
        }
        #expect(entry.principal.uid == Self.name)
        // Nothing was made anew for it.
        #expect(entry === again)
    }

    @Test func whatIsKeptIsTheAccountsFromThenOn() throws {
        let (authenticator, owners) = try rig()
        answer(Self.ada, to: try question(authenticator), owners)
        guard case .verified(let entry) = outcome(authenticator), case .verified(let again) = outcome(authenticator)
        else {
            Issue.record("it does not pass")
            return
        }
        #expect(entry === again)
        #expect(entry.derived?.uid == Self.name)
        #expect(entry.cost > entry.principal.claims.byteCount + entry.identity.bytes.count + 2048)
        #expect(String(decoding: entry.identity.bytes, as: UTF8.self).contains("X-Auth-Uid: ada\r\n"))
        #expect(authenticator.cache.count == 1)
    }

    @Test func aChangeOfTheLinkAsksAgain() throws {
        let (authenticator, owners) = try rig()
        answer(Self.ada, to: try question(authenticator), owners)
        #expect(word(outcome(authenticator)) == "ada")
        generations.changed(Self.name)
        answer(AccountRecord(uid: "bob"), to: try question(authenticator), owners)
        #expect(word(outcome(authenticator)) == "bob")
        generations.changed(Self.name)
        answer(nil, to: try question(authenticator), owners)
        #expect(word(outcome(authenticator)) == Self.name)
        generations.allChanged()
        answer(Self.ada, to: try question(authenticator), owners)
        #expect(word(outcome(authenticator)) == "ada")
    }

    @Test func aChangeOfAnotherLinkAsksNothing() throws {
        let (authenticator, owners) = try rig()
        answer(Self.ada, to: try question(authenticator), owners)
        #expect(word(outcome(authenticator)) == "ada")
        let others = (0..<64).map { "google.com:\($0)" }.filter {
            LinkGenerations.place(of: $0) != LinkGenerations.place(of: Self.name)
        }
        for name in others { generations.changed(name) }
        #expect(word(outcome(authenticator)) == "ada")
    }

    @Test("an answer that a change overtook decides nothing", arguments: [nil, AccountRecord(uid: "eve")])
    func overtaken(_ account: AccountRecord?) throws {
        let (authenticator, owners) = try rig()
        let question = try question(authenticator)
        let generation = owners.generation(at: question.place)
        generations.changed(Self.name)
        owners.keep(account, of: question.key, generation: generation)
        #expect(word(outcome(authenticator)) == "asks of \(Self.name)")
        answer(Self.ada, to: question, owners)
        #expect(word(outcome(authenticator)) == "ada")
    }

    @Test func whereUnlinkedIdentitiesAreDeniedNobodysPasses() throws {
        let (authenticator, owners) = try rig(denies: true)
        answer(nil, to: try question(authenticator), owners)
        for _ in 0..<2 { #expect(word(outcome(authenticator)) == "auth/permission-denied") }
        generations.changed(Self.name)
        answer(Self.ada, to: try question(authenticator), owners)
        #expect(word(outcome(authenticator)) == "ada")
        generations.changed(Self.name)
        answer(nil, to: try question(authenticator), owners)
        for _ in 0..<2 { #expect(word(outcome(authenticator)) == "auth/permission-denied") }
    }

    @Test func whileTheStoreIsNotFollowedNobodyIsNamed() throws {
        let (authenticator, owners) = try rig()
        answer(Self.ada, to: try question(authenticator), owners)
        #expect(word(outcome(authenticator)) == "ada")
        view.setStale()
        #expect(word(outcome(authenticator)) == "awaits the view")
        view.confirm(at: 0)
        #expect(word(outcome(authenticator, monotonic: 50)) == "ada")
        #expect(word(outcome(authenticator, monotonic: 61)) == "stale")
    }

    @Test func anAccountThatCannotBeIsAFaultyRecord() throws {
        let (authenticator, owners) = try rig()
        answer(AccountRecord(uid: ""), to: try question(authenticator), owners)
        #expect(word(outcome(authenticator)) == "faultyRecord")
    }

    @Test func firebasesTokensNeverAsk() throws {
        let (authenticator, _) = try rig(denies: true)
        view.setStale()
        for _ in 0..<2 { #expect(word(outcome(authenticator, TokenDraft.idToken().signed())) == "user-1") }
    }

    @Test func anIdentityWithAnOwnerStillEnds() throws {
        let (authenticator, owners) = try rig()
        answer(Self.ada, to: try question(authenticator), owners)
        _ = outcome(authenticator)
        let late = Array(Self.token.utf8).withUnsafeBytes {
            authenticator.authenticate(
                $0, kind: .idToken, now: ManualClock.start + 3500, monotonic: 0, waitingSince: nil)
        }
        #expect(word(late) == "auth/id-token-expired")
    }
}
