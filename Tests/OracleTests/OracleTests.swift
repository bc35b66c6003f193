import Foundation
import Testing

@testable import SystemFixtures

/// Gatehouse beside the Firebase Admin SDK, on the same tokens, keys and moment.
@Suite(
    .serialized,
    .enabled(
        if: AdminSDK.interpreter != nil,
        "GATEHOUSE_ORACLE_PYTHON names no Python with firebase-admin: script/test sets it"))
struct OracleTests {
    private let comparison: Comparison

    init() throws {
        comparison = try Comparison.shared.get()
    }

    @Test func `thousands of tokens are compared`() {
        print(comparison)
        #expect(comparison.distinctTokens >= Thoroughness.rounds(4000, full: 5000))
        #expect(comparison.acceptedByBoth >= 500)
        #expect(comparison.refusedByBoth >= 500)
    }

    @Test func `no token is accepted that the SDK refuses`() {
        #expect(comparison.laxer.prefix(5) == [])
    }

    @Test func `both name the same user`() {
        #expect(comparison.otherUsers.prefix(5) == [])
    }

    @Test func `each stricter refusal is a documented difference`() {
        #expect(comparison.unexplained.prefix(5) == [])
    }

    @Test(arguments: Difference.allCases) func `each documented difference occurs`(difference: Difference) {
        #expect(comparison.stricter[difference, default: 0] > 0)
    }

    @Test func `a token that is expired for the SDK is expired for Gatehouse`() {
        #expect(comparison.otherwiseExpired.prefix(5) == [])
    }
}

@Suite struct DocumentedDifferenceTests {
    private let manual: String

    init() throws {
        let file = Repository.root.appending(path: "docs/internals/verification.md")
        manual = try String(contentsOf: file, encoding: .utf8)
    }

    @Test(arguments: Difference.allCases) func `the manual has a row for each difference`(difference: Difference) {
        let isThere = manual.contains("\n| \(difference.rawValue) | ")
        #expect(isThere)
    }
}
