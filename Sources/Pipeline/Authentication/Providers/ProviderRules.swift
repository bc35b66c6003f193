package import JOSE

/// What ID tokens of one provider have of their own: the rest is the same for all, in ``ProviderVerifier``.
///
/// The checks tell the reason of a refusal, nil where there is none.
package protocol ProviderRules: Sendable {
    /// The exact `iss` values.
    var issuers: [String] { get }
    /// What signs where the configuration does not say.
    var algorithms: SignatureAlgorithms { get }
    /// Whether `aud` may be a list.
    var takesAudienceLists: Bool { get }
    /// What `iss` should be, for people.
    var expectedIssuer: String { get }
    /// The claim that names the user.
    var subjectClaim: String { get }
    /// Checks of claims that only this provider has, in their order.
    var claimRules: [ClaimRule] { get }
    /// How many seconds before a token is issued its `iat` lies.
    var issuedAtOffset: Int64 { get }

    /// Why it is another kind of token than an ID token.
    func kindFlaw(_ claims: JSONValue) -> VerificationFailure.Reason?
    /// Whether a token with this `iss` is for these rules to judge, where `issuers` cannot list all.
    func judges(issuer: String) -> Bool
    func issuerFlaw(_ claims: JSONValue) -> VerificationFailure.Reason?
    func subjectFlaw(_ claims: JSONValue) -> VerificationFailure.Reason?
    /// Why the key, though it is of the provider's set, may not sign such a token.
    func keyFlaw(_ key: PublicKey, _ claims: JSONValue) -> VerificationFailure.Reason?

    /// The user at the provider, of claims without a flaw; with the provider's id before it, the uid.
    func subject(of claims: JSONValue) -> String
    /// What Firebase would have written in `identities`.
    func federatedID(of claims: JSONValue) -> String
    /// The claims that are told in another way than the provider writes them.
    func rewritten(_ claims: JSONValue) -> [(name: String, json: [UInt8])]
}

/// A check of one claim that only one provider has.
package struct ClaimRule: Sendable {
    package let claim: String
    /// What would be right, for people.
    package let expected: String
    let flaw: @Sendable (JSONValue) -> VerificationFailure.Reason?
}

/// Which algorithms may sign.
package enum SignatureAlgorithms: Sendable, Equatable {
    case only(Set<Algorithm>)
    /// Those that the discovery document lists; RS256 where it lists none.
    case listed

    static let rs256 = SignatureAlgorithms.only([.rs256])

    /// - Parameter view: what is known of the provider's keys. Before they are, any algorithm may turn out to be listed.
    package func allows(_ algorithm: Algorithm, by view: KeySetView) -> Bool {
        switch self {
        case .only(let allowed): allowed.contains(algorithm)
        case .listed: view.keys == nil || (view.algorithms ?? [.rs256]).contains(algorithm)
        }
    }
}

/// What most providers do.
extension ProviderRules {
    package var algorithms: SignatureAlgorithms { .rs256 }
    package var takesAudienceLists: Bool { false }
    package var expectedIssuer: String { issuers.joined(separator: " or ") }
    package var subjectClaim: String { "sub" }
    package var claimRules: [ClaimRule] { [] }
    package var issuedAtOffset: Int64 { 0 }

    package func kindFlaw(_ claims: JSONValue) -> VerificationFailure.Reason? { nil }

    package func judges(issuer: String) -> Bool { false }

    package func issuerFlaw(_ claims: JSONValue) -> VerificationFailure.Reason? {
        guard let issuer = claims["iss"]?.string else { return .issuer }
        if issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) { return nil }
        return issuers.contains { IssuerText.differsBySlash(issuer, $0) } ? .issuerSlash : .issuer
    }

    package func subjectFlaw(_ claims: JSONValue) -> VerificationFailure.Reason? {
        guard let subject = claims["sub"]?.string, (1...ProviderSubject.maximumSize).contains(subject.utf8.count),
            ProviderSubject.isText(subject)
        else { return .providerSubject }
        return nil
    }

    package func keyFlaw(_ key: PublicKey, _ claims: JSONValue) -> VerificationFailure.Reason? { nil }
    package func subject(of claims: JSONValue) -> String { claims["sub"]?.string ?? "" }
    package func federatedID(of claims: JSONValue) -> String { subject(of: claims) }
    package func rewritten(_ claims: JSONValue) -> [(name: String, json: [UInt8])] { [] }
}

/// What a provider's name of a user may be.
enum ProviderSubject {
    /// The longest `sub`, in bytes (OpenID Connect Core 1.0 section 2).
    static let maximumSize = 255

    /// Control characters name nobody: such a uid could not be spelled where users are revoked.
    static func isText(_ subject: String) -> Bool {
        subject.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

/// Issuers as text.
enum IssuerText {
    /// Whether two issuers are the same but for one slash at the end, a slip that is worth its own words.
    static func differsBySlash(_ one: String, _ other: String) -> Bool {
        withOtherEnd(Array(one.utf8)).elementsEqual(other.utf8)
    }

    /// The issuer without the slash at its end, or with one.
    static func withOtherEnd(_ issuer: [UInt8]) -> [UInt8] {
        issuer.last == UInt8(ascii: "/") ? issuer.dropLast() : issuer + [UInt8(ascii: "/")]
    }
}
