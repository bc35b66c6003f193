import Authentication
import DevelopmentIdentity
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import StoreFixtures

/// What many ask for at once is decided once.
@Suite(.timeLimit(.minutes(2))) struct RaceTests {
    private static let rounds = 20
    private static let callers = 16

    /// The answers to calls that are made at once.
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

    @Test("one nonce, many tokens: one wins")
    func nonce() async throws {
        let rig = try await AccountsRig()
        for _ in 0..<Self.rounds {
            let nonce = try await rig.nonce()
            let tokens = try (0..<Self.callers).map { number in
                try rig.idToken(.google, .ada, nonce: nonce) { $0.setting("jti", to: .integer(Int64(number))) }
            }
            let answers = await race { number in
                await rig.call(
                    .signIn,
                    ["provider": "google.com", "id_token": .string(tokens[number]), "nonce": .string(nonce)])
            }
            expectOneWinner(answers, losers: "auth/missing-or-invalid-nonce")
        }
    }

    @Test("one proof, many calls: one wins")
    func proof() async throws {
        let rig = try await AccountsRig()
        for round in 0..<Self.rounds {
            let token = try rig.idToken(.google, .ada) { $0.setting("jti", to: .integer(Int64(round))) }
            let answers = await race { _ in
                await rig.call(.signIn, ["provider": "google.com", "id_token": .string(token)])
            }
            expectOneWinner(answers, losers: "auth/missing-or-invalid-nonce")
        }
    }

    @Test("one pending token, many calls: one wins")
    func pending() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session(.google, .ada)
        _ = try await rig.session(.facebook, .dennis)
        for _ in 0..<Self.rounds {
            let refused = await rig.call(.link, try await rig.proof(.facebook, .dennis), by: caller)
            let pending = try #require(refused.pending)
            let answers = await race { _ in await rig.call(.signIn, ["pending_token": .string(pending)]) }
            expectOneWinner(answers, losers: "auth/invalid-credential")
        }
    }

    @Test("I-10: one proof, many sessions that want to be recent: one wins")
    func reauthenticate() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        for _ in 0..<Self.rounds {
            let body = try await rig.proof(.google, .ada)
            let answers = await race { _ in await rig.call(.reauthenticate, body, by: caller) }
            expectOneWinner(answers, losers: "auth/missing-or-invalid-nonce")
        }
    }

    @Test("one identity, many first sign-ins: one account")
    func creation() async throws {
        let rig = try await AccountsRig()
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

    @Test("one identity, many accounts that want to link it: one has it")
    func link() async throws {
        let rig = try await AccountsRig()
        let callers = try await accounts(rig)
        for round in 0..<Self.rounds {
            // Another subject in each round.
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

    @Test("an unlink and a sign-in at once: the identity opens the account or another one, never both")
    func unlinkAgainstSignIn() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        for round in 0..<Self.rounds {
            // A token from before the last unlink does not count any more.
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
