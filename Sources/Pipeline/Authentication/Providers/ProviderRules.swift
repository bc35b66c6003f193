package import JOSE

/// The properties of one provider's ID tokens. The checks common to all providers are in ``ProviderVerifier``.
///
/// The checks return the reason to reject the token, or `nil`.
package protocol ProviderRules: Sendable {
    /// The exact `iss` values.
    var issuers: [String] { get }
    /// The signature algorithms, if the configuration does not name them.
    var algorithms: SignatureAlgorithms { get }
    /// Whether `aud` may be a list.
    var takesAudienceLists: Bool { get }
    /// The expected `iss`, for diagnostics.
    var expectedIssuer: String { get }
    /// The claim that identifies the user.
    var subjectClaim: String { get }
    /// Checks of claims that only this provider has, in order.
    var claimRules: [ClaimRule] { get }
    /// The offset from `iat` to the time at which the token is issued, in seconds.
    var issuedAtOffset: Int64 { get }

    /// Returns the reason if the token is not an ID token.
    func kindFailure(_ claims: JSONValue) -> VerificationFailure.Reason?
    /// Returns whether these rules apply to a token with this `iss`, if `issuers` cannot list all.
    func judges(issuer: String) -> Bool
    func issuerFailure(_ claims: JSONValue) -> VerificationFailure.Reason?
    func subjectFailure(_ claims: JSONValue) -> VerificationFailure.Reason?
    /// Returns the reason if a key of the provider's set must not sign this token.
    func keyFailure(_ key: PublicKey, _ claims: JSONValue) -> VerificationFailure.Reason?

    /// Returns the user at the provider from valid claims. With the provider's ID as a prefix it is the uid.
    func subject(of claims: JSONValue) -> String
    /// Returns the identity as Firebase would write it in `identities`.
    func federatedID(of claims: JSONValue) -> String
    /// Returns the claims whose value differs from the one that the provider wrote.
    func rewritten(_ claims: JSONValue) -> [(name: String, json: [UInt8])]
}

/// A check of one provider-specific claim.
package struct ClaimRule: Sendable {
    package let claim: String
    /// The expected value, for diagnostics.
    package let expected: String
    let flaw: @Sendable (JSONValue) -> VerificationFailure.Reason?
}

/// The accepted signature algorithms.
package enum SignatureAlgorithms: Sendable, Equatable {
    case only(Set<Algorithm>)
    /// The algorithms that the discovery document lists, or RS256 if it lists none.
    case listed

    static let rs256 = SignatureAlgorithms.only([.rs256])

    /// Returns whether an algorithm is accepted.
    ///
    /// - Parameter view: The view of the provider's key set. Any algorithm is accepted until the set is loaded.
    package func allows(_ algorithm: Algorithm, by view: KeySetView) -> Bool {
        switch self {
        case .only(let allowed): allowed.contains(algorithm)
        case .listed: view.keys == nil || (view.algorithms ?? [.rs256]).contains(algorithm)
        }
    }
}

/// The defaults, which apply to most providers.
extension ProviderRules {
    package var algorithms: SignatureAlgorithms { .rs256 }
    package var takesAudienceLists: Bool { false }
    package var expectedIssuer: String { issuers.joined(separator: " or ") }
    package var subjectClaim: String { "sub" }
    package var claimRules: [ClaimRule] { [] }
    package var issuedAtOffset: Int64 { 0 }

    package func kindFailure(_ claims: JSONValue) -> VerificationFailure.Reason? { nil }

    package func judges(issuer: String) -> Bool { false }

    package func issuerFailure(_ claims: JSONValue) -> VerificationFailure.Reason? {
        guard let issuer = claims["iss"]?.string else { return .issuer }
        if issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) { return nil }
        return issuers.contains { IssuerText.differsBySlash(issuer, $0) } ? .issuerSlash : .issuer
    }

    package func subjectFailure(_ claims: JSONValue) -> VerificationFailure.Reason? {
        guard let subject = claims["sub"]?.string, (1...ProviderSubject.maximumSize).contains(subject.utf8.count),
            ProviderSubject.isText(subject)
        else { return .providerSubject }
        return nil
    }

    package func keyFailure(_ key: PublicKey, _ claims: JSONValue) -> VerificationFailure.Reason? { nil }
    package func subject(of claims: JSONValue) -> String { claims["sub"]?.string ?? "" }
    package func federatedID(of claims: JSONValue) -> String { subject(of: claims) }
    package func rewritten(_ claims: JSONValue) -> [(name: String, json: [UInt8])] { [] }
}

/// The accepted form of a provider's subject.
enum ProviderSubject {
    /// The maximum size of `sub`, in bytes (OpenID Connect Core 1.0 section 2).
    static let maximumSize = 255

    /// Returns whether a subject has no control characters. A uid with them could not be entered in order to revoke the
    /// user.
    static func isText(_ subject: String) -> Bool {
        subject.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

/// Comparison of issuers.
enum IssuerText {
    /// Returns whether two issuers differ only by a trailing slash, a common mistake with an error message of its own.
    static func differsBySlash(_ one: String, _ other: String) -> Bool {
        withOtherEnd(Array(one.utf8)).elementsEqual(other.utf8)
    }

    /// Returns the issuer with its trailing slash removed, or added.
    static func withOtherEnd(_ issuer: [UInt8]) -> [UInt8] {
        issuer.last == UInt8(ascii: "/") ? issuer.dropLast() : issuer + [UInt8(ascii: "/")]
    }
}
