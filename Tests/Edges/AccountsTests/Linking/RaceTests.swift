import Authentication
import DevelopmentIdentity
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// Concurrent calls with one effect.
@Suite(.timeLimit(.minutes(5))) struct RaceTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    private static let rounds = Thoroughness.rounds(6, full: 20)
    private static let callers = 16

    /// The responses to concurrent calls.
    private func race(_ count: Int = callers, _ call: @escaping @Sendable (Int) async -> CallAnswer) async
        -> [CallAnswer]
    {
        await withTaskGroup(of: CallAnswer.self) { group in
            for number in 0..<count { group.addTask { await call(number) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func expectOneWinner(_ answers: [CallAnswer], losers: String) {
        #expect(answers.filter { $0.code == "ok" }.count == 1)
        #expect(answers.filter { $0.code == losers }.count == answers.count - 1, "\(answers.map(\.code))")
    }

    /// Races calls with the bodies of each round and expects one success.
    private func expectOneWinner(
        _ endpoint: AccountEndpoint, by caller: Principal? = nil,
        losers: String = "auth/missing-or-invalid-nonce", _ bodies: (Int) async throws -> [JSONObject]
    ) async throws {
        for round in 0..<Self.rounds {
            let bodies = try await bodies(round)
            let answers = await race { number in
                await rig.call(endpoint, bodies[number % bodies.count], by: caller)
            }
            expectOneWinner(answers, losers: losers)
        }
    }

    @Test func `one nonce is used once by concurrent calls`() async throws {
        try await expectOneWinner(.signIn) { _ in
            let nonce = try await rig.nonce()
            return try (0..<Self.callers).map { number in
                let token = try rig.idToken(.google, .ada, nonce: nonce) {
                    $0.setting("jti", to: .integer(Int64(number)))
                }
                return ["provider": "google.com", "id_token": .string(token), "nonce": .string(nonce)]
            }
        }
    }

    @Test func `one proof is used once by concurrent calls`() async throws {
        try await expectOneWinner(.signIn) { round in
            let token = try rig.idToken(.google, .ada) { $0.setting("jti", to: .integer(Int64(round))) }
            return [["provider": "google.com", "id_token": .string(token)]]
        }
    }

    @Test func `one pending token is used once by concurrent calls`() async throws {
        let caller = try await rig.session(.google, .ada)
        _ = try await rig.session(.facebook, .dennis)
        try await expectOneWinner(.signIn, losers: "auth/invalid-credential") { _ in
            let refused = await rig.call(.link, try await rig.proof(.facebook, .dennis), by: caller)
            return [["pending_token": .string(try #require(refused.pending))]]
        }
    }

    @Test func `I-10: one proof makes one of many concurrent sessions recent`() async throws {
        let caller = try await rig.session()
        for _ in 0..<Self.rounds {
            let body = try await rig.proof(.google, .ada)
            let codes = await race { _ in await rig.call(.reauthenticate, body, by: caller) }.map(\.code)
            #expect(codes.filter { $0 == "ok" }.count == 1)
            // The winner changed the name of the session, so that for others the session or the proof has ended.
            let others = ["auth/missing-or-invalid-nonce", "auth/session-cookie-revoked"]
            #expect(codes.allSatisfy { $0 == "ok" || others.contains($0) }, "\(codes)")
        }
    }

    @Test func `concurrent first sign-ins of one identity create one account`() async throws {
        for round in 0..<Self.rounds {
            let tokens = try (0..<Self.callers).map { number in
                try rig.idToken(.google, .dennis.withEmail("d\(round)@example.com")) {
                    $0.setting("sub", to: .string("round-\(round)")).setting("jti", to: .integer(Int64(number)))
                }
            }
            let answers = await race { number in
                await rig.call(.signIn, ["provider": "google.com", "id_token": .string(tokens[number])])
            }
            #expect(answers.allSatisfy { $0.code == "ok" })
            #expect(answers.filter { $0.isNew == true }.count == 1)
            #expect(Set(answers.compactMap(\.uid)).count == 1)
        }
    }

    @Test func `one of many concurrent accounts links an identity`() async throws {
        let callers = try await accounts(rig)
        for round in 0..<Self.rounds {
            // Each round has another subject.
            let user = DevelopmentUser(uid: "subject-\(round)")
            let bodies = try callers.indices.map { number -> JSONObject in
                let token = try rig.idToken(.oidc("corp"), user) { $0.setting("jti", to: .integer(Int64(number))) }
                return ["provider": "oidc.corp", "id_token": .string(token)]
            }
            let answers = await race(callers.count) { number in
                await rig.call(.link, bodies[number], by: callers[number])
            }
            expectOneWinner(answers, losers: "auth/credential-already-in-use")
            for caller in callers { _ = try await rig.store.release(provider: "oidc.corp", of: caller.uid) }
        }
    }

    @Test func `a concurrent unlink and sign-in open one account`() async throws {
        let caller = try await rig.session()
        for round in 0..<Self.rounds {
            // A token from before the last unlink is not accepted any more.
            rig.time.advance(seconds: 1)
            let linked = await rig.call(.link, rig.gitHub(), by: caller)
            try #require(linked.code == "ok", "\(round): \(linked.code)")
            let body = rig.gitHub()
            let answers = await race(2) { number in
                number == 0
                    ? await rig.call(.unlink, ["provider": "github.com"], by: caller) : await rig.call(.signIn, body)
            }
            #expect(answers.allSatisfy { $0.code == "ok" })
            let signedIn = answers.first { $0.isNew != nil }
            let link = IdentityLink(provider: "github.com", subject: "583231")
            let owner = try await rig.store.owner(of: link)
            #expect(signedIn?.uid == (signedIn?.isNew == true ? owner?.uid : caller.uid))
            if let owner { try await rig.store.releaseAll(of: owner) }
        }
    }

    private func accounts(_ rig: AccountsRig) async throws -> [Principal] {
        var callers: [Principal] = []
        for number in 0..<8 {
            let user = DevelopmentUser.dennis.withEmail("caller\(number)@example.com")
            let body = try await rig.proof(.google, user) { $0.setting("sub", to: .string("caller-\(number)")) }
            callers.append(try rig.caller(try await rig.signIn(body)))
        }
        return callers
    }
}
