import GatewayCore
import Revocation
import Synchronization
import Testing

@testable import Authentication
@testable import StoreFixtures
@testable import SystemFixtures

/// Queries of an account store off the request path, and their limit.
@Suite struct StoredLinksTests {
    private static let link = IdentityLink(provider: "apple.com", subject: "1")

    private func lookUp(_ accounts: OwnersOnly, requiresListing: Bool = false) async -> LinkLookupResult {
        let links = StoredLinks(accounts, requiresListing: requiresListing)
        return await withCheckedContinuation { continuation in
            links.lookUp(Self.link) { continuation.resume(returning: $0) }
        }
    }

    @Test func `the result is the account of the owner`() async {
        let record = AccountRecord(uid: "ada", email: "a@example.com", created: 1, links: ["apple.com": "1"])
        #expect(await lookUp(OwnersOnly(owner: "ada", account: record)) == .owner(record))
    }

    @Test func `an owner without an account has only a uid`() async {
        #expect(await lookUp(OwnersOnly(owner: "ada")) == .owner(AccountRecord(uid: "ada")))
    }

    @Test(arguments: [["apple.com": "1"], ["apple.com": "2"], [:]])
    func `a link of a Firebase user counts once the account lists it, if that is required`(
        _ links: [String: String]
    ) async {
        let record = AccountRecord(uid: "ada", links: links)
        let expected: LinkLookupResult = links["apple.com"] == "1" ? .owner(record) : .failed(.faultyRecord)
        #expect(await lookUp(OwnersOnly(owner: "ada", account: record), requiresListing: true) == expected)
        #expect(await lookUp(OwnersOnly(owner: "ada", account: record)) == .owner(record))
        let own = AccountRecord(uid: "ada", created: 1, links: links)
        #expect(await lookUp(OwnersOnly(owner: "ada", account: own), requiresListing: true) == .owner(own))
    }

    @Test func `an identity without an owner is a result`() async {
        #expect(await lookUp(OwnersOnly(owner: nil)) == .unowned)
    }

    @Test(arguments: [
        (StoreError.Code.overloaded, StoreFailure.overloaded), (.io, .unreachable), (.closed, .unreachable),
        (.cannotOpen, .unreachable), (.faultyRecord, .faultyRecord), (.incompatible, .refused),
        (.internalFailure, .refused),
    ])
    func `an error is never a missing owner`(_ code: StoreError.Code, _ failure: StoreFailure) async {
        #expect(await lookUp(OwnersOnly(owner: nil, failure: StoreError(code, "no"))) == .failed(failure))
    }

    @Test func `concurrent queries are bounded, and the other ones wait in order`() async throws {
        let gate = Gate()
        let links = StoredLinks(OwnersOnly(owner: "ada", gate: gate))
        let results = Mutex<[LinkLookupResult]>([])
        let all = StoredLinks.concurrency + StoredLinks.waitingLimit
        for number in 0..<all + 3 {
            links.lookUp(IdentityLink(provider: "apple.com", subject: "\(number)")) { answer in
                results.withLock { $0.append(answer) }
            }
        }
        // Only queries above the limit have a result.
        #expect(results.withLock { $0 } == Array(repeating: .failed(.overloaded), count: 3))
        try await eventually("queries") { gate.queries == StoredLinks.concurrency ? true : nil }
        gate.open()
        try await eventually("results") { results.withLock { $0.count } == all + 3 ? true : nil }
        #expect(gate.queries == all)
        #expect(results.withLock { $0.dropFirst(3).allSatisfy { $0 == .owner(AccountRecord(uid: "ada")) } })
        // New queries are accepted again.
        #expect(
            await withCheckedContinuation { one in links.lookUp(Self.link) { one.resume(returning: $0) } } != .unowned)
    }
}
