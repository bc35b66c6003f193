import Foundation
import Testing

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

    @Test func thousandsOfTokensAreCompared() {
        print(comparison)
        #expect(comparison.distinctTokens >= 5000)
        #expect(comparison.acceptedByBoth >= 500)
        #expect(comparison.refusedByBoth >= 500)
    }

    @Test func nothingPassesThatTheSDKRefuses() {
        #expect(comparison.laxer.prefix(5) == [])
    }

    @Test func bothNameTheSameUser() {
        #expect(comparison.otherUsers.prefix(5) == [])
    }

    @Test func eachStricterRefusalIsADocumentedDifference() {
        #expect(comparison.unexplained.prefix(5) == [])
    }

    @Test(arguments: Difference.allCases) func eachDocumentedDifferenceOccurs(difference: Difference) {
        #expect(comparison.stricter[difference, default: 0] > 0)
    }

    @Test func whatTheSDKCallsExpiredIsExpired() {
        #expect(comparison.otherwiseExpired.prefix(5) == [])
    }
}
