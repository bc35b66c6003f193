import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures

/// A case of the tests of an Admin SDK, with the decisions of the SDK and of Gatehouse.
struct SDKRow: Sendable, CustomTestStringConvertible {
    enum Verdict: Sendable {
        case accepts
        /// Rejected with the code or message of the SDK.
        case refuses(String)

        var passes: Bool { if case .accepts = self { true } else { false } }
    }

    let testDescription: String
    let make: @Sendable (inout SDKCase) -> Void
    let sdk: Verdict
    /// `ok` for a request that passes.
    let ours: DecisionCode
    /// The reason, if one accepts a token that the other rejects.
    let because: String?

    /// - Parameters:
    ///   - claims: Claims with other values, as JSON text. `nil` removes a claim.
    ///   - header: Header members with other values, in the same form.
    ///   - user: The record of the user in the store.
    ///   - make: Other changes of the case, applied first.
    init(
        _ name: String, sdk: Verdict, ours: DecisionCode, _ claims: [String: String?] = [:],
        header: [String: String?] = [:], user: UserRecord? = nil, because: String? = nil,
        _ make: @escaping @Sendable (inout SDKCase) -> Void = { _ in }
    ) {
        testDescription = name
        self.make = {
            make(&$0)
            for (name, value) in claims { $0.draft.claims[name] = value }
            for (name, value) in header { $0.draft.header[name] = value }
            if let user { $0.user = user }
        }
        self.sdk = sdk
        self.ours = ours
        self.because = because
    }

    /// The decision of Gatehouse on the case of a fixture.
    func code(of fixture: SDKCase) throws -> DecisionCode {
        var made = fixture
        make(&made)
        return try made.code()
    }

    /// The expected decision on a session cookie.
    var oursOfCookie: DecisionCode {
        switch ours {
        case .invalidIDToken: .invalidSessionCookie
        case .idTokenExpired: .sessionCookieExpired
        case .idTokenRevoked: .sessionCookieRevoked
        default: ours
        }
    }
}

extension UserRecord {
    static func since(_ time: Int64, disabled: Bool = false) -> UserRecord {
        UserRecord(validSince: UnixTime(clamping: time), disabled: disabled)
    }
}
