import Authentication
import JOSE

extension TokenTranscript {
    /// Returns the steps for the gateway's own session cookies.
    func steps(of token: UnverifiedJWS, by verifier: SessionVerifier) -> [ExplanationStep] {
        let claims = token.payload.root
        return header(token, verifier) + issuerAndAudience(claims, verifier)
            + key(of: token) { key in
                [step("signature", "by that key") { _ = try verifier.accept(token, key: key) }]
            } + times(claims, verifier, needsAuthTime: false) + user(claims, verifier)
    }

    private func header(_ token: UnverifiedJWS, _ verifier: SessionVerifier) -> [ExplanationStep] {
        [
            step("kind", "a session cookie of a gateway") { _ = try verifier.origin(of: token) },
            step("kid", token.keyID.map { ShownText.quoted($0) } ?? "missing") { _ = try verifier.keyID(of: token) },
            step("alg", ShownText.quoted(token.algorithmName), expected: "ES256") {
                try verifier.checkAlgorithm(of: token)
            },
            step("typ", token.type.map { ShownText.quoted($0) } ?? "none") { try verifier.checkType(of: token) },
        ]
    }

    private func issuerAndAudience(_ claims: JSONValue, _ verifier: SessionVerifier) -> [ExplanationStep] {
        let (issuer, audience) = (ShownText.claim(claims["iss"]), ShownText.claim(claims["aud"]))
        guard let expected = evidence.view.issuer else {
            return [
                ExplanationStep(.unknown, "iss", "not checked: the gateway's own issuer is not known: \(issuer)"),
                ExplanationStep(.unknown, "aud", "not checked: the gateway's own issuer is not known: \(audience)"),
            ]
        }
        return [
            step("iss", issuer, expected: expected) { try verifier.checkIssuer(claims, evidence.view) },
            step("aud", audience, expected: expected) { try verifier.checkAudience(claims, evidence.view) },
        ]
    }

    private func user(_ claims: JSONValue, _ verifier: SessionVerifier) -> [ExplanationStep] {
        [
            step("sub", ShownText.claim(claims["sub"])) {
                try verifier.checkUserID(claims, uid: try verifier.subject(of: claims))
            },
            step("sid", ShownText.claim(claims["sid"])) { _ = try verifier.session(of: claims) },
            step("firebase", ShownText.claim(claims["firebase"])) { _ = try verifier.firebaseMember(of: claims) },
        ]
    }
}
