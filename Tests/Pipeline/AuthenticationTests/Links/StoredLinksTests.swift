import GatewayCore
import Revocation
import Synchronization
import Testing

@testable import Authentication
@testable import StoreFixtures
@testable import SystemFixtures

/// Asking an account store off the request path: what it says, and how much is asked at a time.
@Suite struct StoredLinksTests {
    private static let link = IdentityLink(provider: "apple.com", subject: "1")

    private func answer(_ accounts: OwnersOnly) async -> LinkAnswer {
        let links = StoredLinks(accounts)
        return await withCheckedContinuation { continuation in
            links.look(Self.link) { continuation.resume(returning: $0) }
        }
    }

    @Test func theOwnersAccountIsTold() async {
        let record = AccountRecord(uid: "ada", email: "a@example.com", created: 1, links: ["apple.com": "1"])
        #expect(await answer(OwnersOnly(owner: "ada", account: record)) == .owner(record))
    }

    @Test func anOwnerOfWhomNothingIsKeptIsAUIDAlone() async {
        #expect(await answer(OwnersOnly(owner: "ada")) == .owner(AccountRecord(uid: "ada")))
    }

    @Test func nobodyIsAnAnswer() async {
        #expect(await answer(OwnersOnly(owner: nil)) == .nobody)
    }

    @Test(
        "an error is never nobody",
        arguments: [
            (StoreError.Code.overloaded, StoreFailure.overloaded), (.io, .unreachable), (.closed, .unreachable),
            (.cannotOpen, .unreachable), (.faultyRecord, .faultyRecord), (.incompatible, .refused),
            (.internalFailure, .refused),
        ])
    func errors(_ code: StoreError.Code, _ failure: StoreFailure) async {
        #expect(await answer(OwnersOnly(owner: nil, failure: StoreError(code, "no"))) == .failed(failure))
    }

    @Test func soManyAreAskedAtATimeAndTheOthersWaitInTheirOrder() async throws {
        let gate = Gate()
        let links = StoredLinks(OwnersOnly(owner: "ada", gate: gate))
        let answers = Mutex<[LinkAnswer]>([])
        let all = StoredLinks.concurrency + StoredLinks.waitingLimit
        for number in 0..<all + 3 {
            links.look(IdentityLink(provider: "apple.com", subject: "\(number)")) { answer in
                answers.withLock { $0.append(answer) }
            }
        }
        // Only those beyond all places are told something.
        #expect(answers.withLock { $0 } == Array(repeating: .failed(.overloaded), count: 3))
        try await eventually("questions") { gate.asked == StoredLinks.concurrency ? true : nil }
        gate.open()
        try await eventually("answers") { answers.withLock { $0.count } == all + 3 ? true : nil }
        #expect(gate.asked == all)
        #expect(answers.withLock { $0.dropFirst(3).allSatisfy { $0 == .owner(AccountRecord(uid: "ada")) } })
        // All places are free again.
        #expect(await withCheckedContinuation { one in links.look(Self.link) { one.resume(returning: $0) } } != .nobody)
    }
}
