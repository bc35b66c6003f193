import GatewayCore
package import JOSE

/// The verifier of App Check tokens of one Firebase project.
///
/// It follows Google's recipe for other languages
/// (https://firebase.google.com/docs/app-check/custom-resource-backend), which is stricter than the Admin SDKs: `typ`
/// is required, `iss` contains the project number, and `sub` is in a list. Where the SDKs differ, the strictest rule
/// applies. A pure function of the token, a key and the current time.
package struct AppCheckVerifier: Sendable {
    /// The exact `iss`.
    package let issuer: String
    /// The entries of which `aud` must contain one: `projects/NUMBER` and `projects/ID`.
    package let audiences: [String]
    /// The accepted apps, in the order of the configuration.
    package let apps: [AppCheckApp]
    /// The index of the key set.
    package let keySet: Int
    /// The tolerance for `iat` and `nbf` in the future, in seconds.
    let clockSkew: Int64
    /// By bytes, because `String` equality uses canonical equivalence.
    private let appsByID: [[UInt8]: AppCheckApp]

    package init(issuer: String, audiences: [String], apps: [AppCheckApp], keySet: Int, clockSkew: Int64) {
        self.issuer = issuer
        self.audiences = audiences
        self.apps = apps
        self.keySet = keySet
        self.clockSkew = clockSkew
        appsByID = Dictionary(apps.map { (Array($0.id.utf8), $0) }) { first, _ in first }
    }

    /// Runs the checks that need no key, cheapest first. Returns the key ID.
    package func checkBeforeSignature(_ token: UnverifiedJWS) throws(AppCheckFailure) -> String {
        guard token.algorithm == .rs256 else { throw .algorithm }
        guard token.type == "JWT" else { throw .type }
        guard let keyID = token.keyID, !keyID.isEmpty else { throw .noKeyID }
        let claims = token.payload.root
        guard claims["iss"]?.equals(issuer) == true else { throw .issuer }
        guard let audience = claims["aud"], accepts(audience) else { throw .audience }
        _ = try app(of: claims)
        return keyID
    }

    /// Verifies the signature, then checks the times.
    package func verify(
        _ token: UnverifiedJWS, key: PublicKey, now: Int64
    ) throws(AppCheckFailure) -> AppCheckProof {
        guard let verified = token.verify(with: key, algorithm: .rs256) else { throw .signature }
        let claims = verified.payload.root
        guard let seconds = claims["exp"]?.integer else { throw .expiryMissing }
        guard let expiresAt = UnixTime(claim: seconds), expiresAt.isAfter(now) else { throw .expired }
        guard let issuedAt = claims["iat"], isPast(issuedAt, now) else { throw .issuedAt }
        if let notBefore = claims["nbf"], !isPast(notBefore, now) { throw .notBefore }
        return AppCheckProof(app: try app(of: claims), expiresAt: expiresAt)
    }

    /// Returns whether the claim is a list of strings that contains the project. A single string is another kind of
    /// token.
    private func accepts(_ audience: JSONValue) -> Bool {
        guard audience.kind == .array, audience.elements.allSatisfy({ $0.kind == .string }) else { return false }
        return audience.elements.contains { entry in audiences.contains { entry.equals($0) } }
    }

    private func app(of claims: JSONValue) throws(AppCheckFailure) -> AppCheckApp {
        guard let subject = claims["sub"]?.string, let app = appsByID[Array(subject.utf8)] else { throw .app }
        return app
    }

    private func isPast(_ time: JSONValue, _ now: Int64) -> Bool {
        guard let seconds = time.integer.flatMap(UnixTime.init(claim:)) else { return false }
        return !seconds.isAfter(now, skew: clockSkew)
    }
}
