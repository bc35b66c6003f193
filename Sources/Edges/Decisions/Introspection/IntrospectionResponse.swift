package import Authentication
package import GatewayCore
import JOSE
import Revocation

/// The body of an introspection response (RFC 7662 section 2.2).
package enum IntrospectionResponse {
    /// The body for any token that is not valid, without a reason.
    package static let inactive = Array(#"{"active":false}"#.utf8)

    /// The claims that are copied if the token has them, with the types that RFC 7662 and RFC 9470 require.
    private static let texts = ["iss", "jti", "acr", "client_id", "scope"]
    private static let times = ["iat", "nbf"]

    /// The verdict on the age of a sign-in.
    package struct StepUp: Sendable {
        /// The maximum age that the service requires, in seconds.
        let maxAge: Int64
        /// The age of the last sign-in, in seconds. `nil` if it is unknown.
        let age: Int64?

        package init(maxAge: Int64, age: Int64?) {
            self.maxAge = maxAge
            self.age = age
        }
    }

    /// Returns the body for a valid token.
    ///
    /// - Parameters:
    ///   - signedInAt: A recorded sign-in, which replaces an earlier one of the token.
    ///   - stepUp: Not `nil` if the sign-in is older than the service requires.
    package static func active(_ principal: Principal, signedInAt: UnixTime?, stepUp: StepUp?) -> [UInt8] {
        let claims = principal.claims.root
        var json = Array(#"{"active":true"#.utf8)
        append("sub", text: claims["sub"]?.string ?? principal.uid, to: &json)
        append("uid", text: principal.uid, to: &json)
        if let project = principal.user.project { append("project", text: project, to: &json) }
        if let tenant = principal.user.tenant { append("tenant", text: tenant, to: &json) }
        if let provider = principal.signInProvider { append("provider", text: provider, to: &json) }
        for name in texts {
            if let text = claims[name]?.string { append(name, text: text, to: &json) }
        }
        append("exp", number: principal.expiresAt.description, to: &json)
        for name in times {
            if let time = claims[name]?.integer { append(name, number: time.description, to: &json) }
        }
        if let audience = claims["aud"], audience.kind == .string || audience.kind == .array {
            append("aud", audience, to: &json)
        }
        if let time = signInTime(of: principal, signedInAt) {
            append("auth_time", number: time.description, to: &json)
        }
        if let methods = claims["amr"], methods.kind == .array {
            append("amr", methods, to: &json)
        } else if principal.hasSecondFactor {
            json += #","amr":["mfa"]"#.utf8
        }
        append("token_type", text: "Bearer", to: &json)
        if let stepUp { append(stepUp, to: &json) }
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// The later one of the sign-ins that the token and the store state.
    package static func signInTime(of principal: Principal, _ recorded: UnixTime?) -> UnixTime? {
        guard let recorded else { return principal.authTime }
        return principal.authTime.map { max($0, recorded) } ?? recorded
    }

    private static func append(_ stepUp: StepUp, to json: inout [UInt8]) {
        json += #","step_up":{"max_age":\#(stepUp.maxAge)"#.utf8
        if let age = stepUp.age { json += #","auth_age":\#(age)"#.utf8 }
        json.append(UInt8(ascii: "}"))
    }

    private static func append(_ name: String, text: String, to json: inout [UInt8]) {
        json += ",\"\(name)\":".utf8
        JSONWriter.appendString(text, to: &json)
    }

    private static func append(_ name: String, number: String, to json: inout [UInt8]) {
        json += ",\"\(name)\":\(number)".utf8
    }

    private static func append(_ name: String, _ value: JSONValue, to json: inout [UInt8]) {
        json += ",\"\(name)\":".utf8
        value.appendCompact(to: &json)
    }
}

/// The metadata of the introspection endpoint (RFC 8414 section 2).
package enum IntrospectionMetadata {
    /// Returns the document for a base URL.
    ///
    /// - Parameters:
    ///   - methods: The methods of authentication.
    ///   - algorithm: The algorithm of signed responses (RFC 9701 section 7). `nil` if there are none.
    package static func document(at base: String, methods: [String], signingBy algorithm: String?) -> [UInt8] {
        var json = Array("{\"issuer\":".utf8)
        JSONWriter.appendString(base, to: &json)
        json += ",\"introspection_endpoint\":".utf8
        JSONWriter.appendString("\(base)\(DecisionEndpoint.introspectionPath)", to: &json)
        let quoted = methods.map { "\"\($0)\"" }.joined(separator: ",")
        json += ",\"introspection_endpoint_auth_methods_supported\":[\(quoted)]".utf8
        if let algorithm {
            json += #","introspection_signing_alg_values_supported":["\#(algorithm)"],"jwks_uri":"#.utf8
            JSONWriter.appendString("\(base)\(DecisionEndpoint.keysPath)", to: &json)
        }
        // Required members without a meaning for this server.
        json += #","response_types_supported":[]}"#.utf8
        return json
    }
}
