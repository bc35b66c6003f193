import GatewayCore
import Testing

/// One case of an Admin SDK's own tests: what the SDK says, and what Gatehouse does.
struct SDKRow: Sendable, CustomTestStringConvertible {
    enum Verdict: Sendable {
        case accepts
        /// With the SDK's code or words.
        case refuses(String)

        var passes: Bool { if case .accepts = self { true } else { false } }
    }

    let name: String
    let make: @Sendable (inout SDKCase) -> Void
    let sdk: Verdict
    /// `ok` for a request that passes.
    let ours: DecisionCode
    /// Why, where one accepts what the other refuses.
    let because: String?

    init(
        _ name: String, sdk: Verdict, ours: DecisionCode, because: String? = nil,
        _ make: @escaping @Sendable (inout SDKCase) -> Void = { _ in }
    ) {
        self.name = name
        self.make = make
        self.sdk = sdk
        self.ours = ours
        self.because = because
    }

    var testDescription: String { name }

    /// What Gatehouse does with the case made of a fixture.
    func code(of fixture: SDKCase) throws -> DecisionCode {
        var made = fixture
        make(&made)
        return try made.code()
    }

    /// The same, of a session cookie with the same deviation.
    func codeOfCookie(of fixture: SDKCase) throws -> DecisionCode {
        var cookie = fixture
        cookie.bake()
        return try code(of: cookie)
    }

    /// What Gatehouse does with the session cookie.
    var oursOfCookie: DecisionCode {
        switch ours {
        case .invalidIDToken: .invalidSessionCookie
        case .idTokenExpired: .sessionCookieExpired
        case .idTokenRevoked: .sessionCookieRevoked
        default: ours
        }
    }

    /// Whether a reason stands exactly where the two differ.
    var saysWhyTheyDiffer: Bool { (sdk.passes != (ours == .ok)) == (because != nil) }
}
