package import Authentication
package import GatewayCore
import JOSE
import Revocation
package import SecurityRules
import TextCoding

/// A renderer of identity header lines for upstreams.
package struct IdentityRenderer: Sendable {
    /// An additional identity field.
    package struct Extra: Sendable {
        package enum Source: Sendable {
            case uid
            case provider
            /// The path of member names from the token's root.
            case claim([String])
            /// The value of an expression over the `auth` variable.
            case expression(RuleValueExpression)
        }

        package var name: String
        package var source: Source

        package init(name: String, source: Source) {
            self.name = name
            self.source = source
        }

        var isExpression: Bool {
            if case .expression = source { true } else { false }
        }
    }

    /// The prefix, for example `X-Auth-`.
    package let prefix: String
    /// Whether the complete `auth` variable is sent, in a field named by the prefix without its trailing `-`.
    package let sendsVariable: Bool
    package let extra: [Extra]
    /// The signer of assertions. `nil` if no assertion is sent.
    package var assertion: AssertionSigner?
    /// Whether rules will read the `auth` variable.
    package var keepsVariableForRules = false

    package init(
        prefix: String, sendsVariable: Bool, extra: [Extra], assertion: AssertionSigner? = nil,
        keepsVariableForRules: Bool = false
    ) {
        self.prefix = prefix
        self.sendsVariable = sendsVariable
        self.extra = extra
        self.assertion = assertion
        self.keepsVariableForRules = keepsVariableForRules
    }

    /// Renders the identity header lines of a principal.
    ///
    /// - Parameter evaluator: The evaluator of expressions.
    package func render(_ principal: Principal, by evaluator: RuleEvaluator = RuleEvaluator()) -> RenderedIdentity {
        var lines: [UInt8] = []
        lines.reserveCapacity(principal.claims.byteCount * 2 + 512)
        let claims = principal.claims.root
        line(prefix + "Uid", principal.uid, to: &lines)
        if let project = principal.user.project, !hasOwnField("Project") {
            line(prefix + "Project", project, to: &lines)
        }
        if let tenant = principal.user.tenant, !hasOwnField("Tenant") { line(prefix + "Tenant", tenant, to: &lines) }
        if let provider = principal.signInProvider { line(prefix + "Provider", provider, to: &lines) }
        if let email = claims["email"]?.string, !email.isEmpty {
            line(prefix + "Email", email, to: &lines)
            // Only the JSON value `true` counts.
            line(prefix + "Email-Verified", claims["email_verified"]?.bool == true ? "true" : "false", to: &lines)
        }
        if sendsVariable { variableLine(principal, to: &lines) }
        let auth = keepsVariableForRules || extra.contains(where: \.isExpression) ? RuleAuth(principal) : nil
        for item in extra { extraLine(item, principal, auth, evaluator, to: &lines) }
        let beforeTime = lines.count
        if let time = principal.authTime { line(prefix + "Time", time.description, to: &lines) }
        let assertionLine = assertion?.longestLine(of: principal) ?? 0
        return RenderedIdentity(
            bytes: lines, lengthBeforeTime: beforeTime, assertionLine: assertionLine,
            assertionsKept: assertion.map { $0.kept * assertionLine } ?? 0,
            isTooLarge: lines.count + assertionLine > RenderedIdentity.limit, auth: keepsVariableForRules ? auth : nil)
    }

    /// Returns whether the configuration itself defines the field with this suffix.
    private func hasOwnField(_ suffix: String) -> Bool {
        let name = FieldName.normalized(prefix + suffix)
        return extra.contains { FieldName.normalized($0.name) == name }
    }

    /// Returns the line of a recorded sign-in time that is later than the token's.
    package func timeLine(_ time: UnixTime) -> [UInt8] {
        Array("\(prefix)Time: \(time)\r\n".utf8)
    }

    /// Returns the identity lines of a permitted request. Empty without an identity.
    ///
    /// - Parameter signedInAt: A recorded sign-in, which replaces an earlier one of the token.
    package func lines(of identity: VerifiedTokenCache.Entry?, signedInAt: UnixTime?) -> [UInt8] {
        guard let identity else { return [] }
        guard let signedInAt, identity.facts.authTime.isBefore(signedInAt) else { return identity.identity.bytes }
        return identity.identity.bytes.prefix(identity.identity.lengthBeforeTime) + timeLine(signedInAt)
    }

    private func variableLine(_ principal: Principal, to lines: inout [UInt8]) {
        lines.append(contentsOf: prefix.utf8.dropLast())
        lines.append(contentsOf: ": ".utf8)
        let json = principal.variable
        json.withUnsafeBytes { Base64URL.encode($0, into: &lines) }
        lines.append(contentsOf: "\r\n".utf8)
    }

    // MARK: - Single fields

    private func extraLine(
        _ item: Extra, _ principal: Principal, _ auth: RuleAuth?, _ evaluator: RuleEvaluator, to lines: inout [UInt8]
    ) {
        switch item.source {
        case .uid: line(item.name, principal.uid, to: &lines)
        case .provider:
            if let provider = principal.provider { line(item.name, provider, to: &lines) }
        case .expression(let expression):
            // A failed expression has no field, like an absent claim.
            guard let auth, let value = evaluator.value(of: expression, auth: auth.value),
                let text = RuleFieldText.text(of: value)
            else { return }
            line(item.name, text, to: &lines)
        case .claim(let path):
            var value: JSONValue? = principal.claims.root
            for name in path { value = value?.kind == .object ? value?[name] : nil }
            // An absent or `null` claim has no field. The client's own field was already removed.
            guard let value, value.kind != .null else { return }
            if let text = value.string { return line(item.name, text, to: &lines) }
            var json: [UInt8] = []
            value.appendCompact(to: &json)
            line(item.name, json, to: &lines)
        }
    }

    private func line(_ name: String, _ value: String, to lines: inout [UInt8]) {
        line(name, Array(value.utf8), to: &lines)
    }

    /// Writes a line. An empty value has no field, like an absent claim.
    private func line(_ name: String, _ value: [UInt8], to lines: inout [UInt8]) {
        guard !value.isEmpty else { return }
        lines.append(contentsOf: name.utf8)
        lines.append(contentsOf: ": ".utf8)
        for byte in value {
            if PercentEncoding.isPlain(byte) {
                lines.append(byte)
            } else {
                PercentEncoding.appendEscape(byte, to: &lines)
            }
        }
        lines.append(contentsOf: "\r\n".utf8)
    }
}
