import Authentication
import GatewayConfiguration
package import GatewayCore
import JOSE

/// The content of a token that was decoded without a configuration. Nothing of it is verified.
package struct DecodedToken: Sendable {
    /// Header and payload as indented JSON. `nil` if the text is not a JWT.
    package let header, payload: String?
    /// The claims with a meaning for the gateway, and the checks that were not made.
    package let steps: [ExplanationStep]
    /// The option that verifies the token. `nil` for a text that is no token.
    package let remedy: String?

    /// Decodes a token.
    package init(_ token: String, clock: GatewayClock = .system) {
        let bytes = Array(token.utf8)
        do throws(JWSError) {
            let jws = try UnverifiedJWS(bytes, maximumSize: Authenticator.maximumTokenSize)
            (header, payload) = (PrettyJSON.text(of: jws.header), PrettyJSON.text(of: jws.payload))
            let issuer = TokenIssuer(jws)
            steps =
                [ExplanationStep(.passed, "shape", "compact JWS, \(bytes.count) bytes")]
                + [ExplanationStep(.note, "kind", issuer.kind)] + Self.times(jws.payload.root, now: clock.now())
                + Self.unverified
            remedy = issuer.project.map { "--firebase-project \($0)" } ?? "--config FILE"
        } catch {
            (header, payload) = (nil, nil)
            let isJWT = bytes.withUnsafeBytes { CompactShape.seemsJWT($0) }
            let detail =
                isJWT
                ? "not a JWT, \(bytes.count) bytes: \(error.explanation)"
                : "not a JWT, \(bytes.count) bytes; if it is an opaque token, only its provider can check it"
            steps = [ExplanationStep(isJWT ? .failed : .unknown, "shape", detail)]
            remedy = isJWT ? nil : "--config FILE"
        }
    }

    private static let unverified = [
        ExplanationStep(.unknown, "signature", "not verified: without keys, any client could have written this token"),
        ExplanationStep(.unknown, "iss, aud", "not compared with a project or provider"),
        ExplanationStep(.unknown, "revocation", "not checked; `gatehouse explain` checks it"),
    ]

    private static func times(_ claims: JSONValue, now: Int64) -> [ExplanationStep] {
        let expiry: ExplanationStep
        switch claims["exp"]?.integer {
        case let time? where time <= now:
            expiry = ExplanationStep(.failed, "exp", "expired: \(HumanTime.moment(time, now: now))")
        case let time?: expiry = ExplanationStep(.passed, "exp", "not expired: \(HumanTime.moment(time, now: now))")
        case nil: expiry = ExplanationStep(.failed, "exp", ShownText.claim(claims["exp"]))
        }
        let others = ["iat", "nbf", "auth_time"].compactMap { name in
            claims[name].map { value in
                ExplanationStep(
                    .note, name, value.integer.map { HumanTime.moment($0, now: now) } ?? ShownText.claim(value))
            }
        }
        return [expiry] + others
    }
}

/// The issuer that a token names.
private struct TokenIssuer {
    /// The kind of token, with the caveat that it is not verified.
    let kind: String
    /// The Firebase project. `nil` for other issuers.
    let project: String?

    init(_ token: UnverifiedJWS) {
        let claims = token.payload.root
        let audience = claims["aud"]?.string.flatMap { Configuration.Firebase.isProject($0) ? $0 : nil }
        let firebase = audience.map { Configuration.FirebaseProject(id: $0) }
        if SessionVerifier.judges(token) {
            (kind, project) = ("a session cookie of a gateway, according to its typ", nil)
        } else if let firebase, claims["iss"]?.equals(firebase.issuer) == true {
            (kind, project) = ("a Firebase ID token of the project \(firebase.id), according to its iss", audience)
        } else if let firebase, claims["iss"]?.equals(firebase.sessionIssuer) == true {
            (kind, project) = (
                "a Firebase session cookie of the project \(firebase.id), according to its iss", audience
            )
        } else {
            (kind, project) = ("issued by \(ShownText.claim(claims["iss"])), according to its iss", nil)
        }
    }
}
