import GatewayCore
import SecurityRules

extension Configuration {
    /// The identity fields for upstreams (`headers`).
    package struct IdentityHeaders: Sendable, Hashable {
        /// The prefix of the identity fields' names (`prefix`): a field name that ends in `-`, at most 64 bytes.
        /// Default: `X-Auth-`.
        package var prefix = "X-Auth-"
        /// Whether the whole `auth` variable is sent (`variable`). Default: true.
        package var variable = true
        /// Whether the credential is forwarded (`forward_credential`). Default: false.
        package var forwardCredential = false
        /// The signed assertion (`assertion`). Default: `nil`, not sent.
        package var assertion: Assertion?
        /// Further inbound fields that are removed (`remove_inbound`). Default: none.
        package var removeInbound = RemovedFields()
        /// Further fields from claims and expressions (`extra`), in the order of the file, at most 64, with unique
        /// names. Default: none.
        package var extra: [ExtraHeader] = []

        /// Creates the defaults.
        package init() {}

        /// The name of the field with the `auth` variable: the prefix without its last `-`.
        package var variableName: String { String(prefix.dropLast()) }

        /// The name of the field with the signed assertion.
        package var assertionName: String { prefix + "Assertion" }
    }

    /// Inbound fields that never reach an upstream (`headers.remove_inbound`). Names ignore case, and all characters
    /// other than letters and digits equal `-`.
    package struct RemovedFields: Sendable, Hashable {
        /// Whole names.
        package var names: [String] = []
        /// Prefixes of names, configured with a trailing `*`.
        package var prefixes: [String] = []

        /// Creates an empty set.
        package init() {}
    }

    /// A further field (`headers.extra`).
    package struct ExtraHeader: Sendable, Hashable {
        /// The source of the field's value.
        package enum Source: Sendable, Hashable {
            /// A claim.
            case claim(ClaimPath)
            /// The value of an expression over the `auth` variable.
            case expression(RulesExpression)
        }

        /// The field's name.
        package var name: String
        /// The source of its value.
        package var source: Source

        /// Creates a field.
        package init(name: String, source: Source) {
            self.name = name
            self.source = source
        }
    }
}

extension Configuration.IdentityHeaders {
    /// Returns whether an inbound field is removed before a request is forwarded. Names ignore case, and all
    /// characters other than letters and digits equal `-`.
    package func removes(_ name: String) -> Bool {
        let normalized = FieldName.normalized(name)
        return normalized == FieldName.normalized(variableName)
            || normalized.hasPrefix(FieldName.normalized(prefix))
            || extra.contains { FieldName.normalized($0.name) == normalized }
            || FieldName.isForgeable(normalized)
            || removeInbound.names.contains { FieldName.normalized($0) == normalized }
            || removeInbound.prefixes.contains { normalized.hasPrefix(FieldName.normalized($0)) }
    }

    /// The remark of `check` about the inbound fields that the prefix removes.
    package var note: String {
        "inbound fields named \(variableName) or beginning with \(prefix) (including \(prefix)Token) are removed"
    }

    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&prefix, "prefix") { Self.prefix($0) }
        mapping.set(&variable, "variable") { $0.boolean() }
        mapping.set(&forwardCredential, "forward_credential") { $0.boolean() }
        mapping.set(&assertion, "assertion") { $0.mapping(.assertion).map(Configuration.Assertion.init) }
        mapping.set(&removeInbound, "remove_inbound") { $0.removedFields() }
        let names = self
        mapping.set(&extra, "extra") { names.extra(of: $0) }
    }

    private static func prefix(_ value: ConfigurationValue) -> String? {
        guard let text = value.string() else { return nil }
        guard FieldName.isValid(text, atMost: 64) else {
            return value.fail("headers.prefix is \(value.shown), not a field name", "write a name as in X-Auth-")
        }
        guard text.hasSuffix("-"), text.dropLast().utf8.contains(where: ClaimPathParser.continuesName) else {
            return value.fail(
                "headers.prefix is \(value.shown), not a name with a trailing '-'", "write a name as in X-Auth-")
        }
        if let field = FieldName.fieldEndangered(byPrefix: text) {
            return value.fail(
                "headers.prefix \(value.shown) would remove the field \(field) from requests", "use a longer prefix")
        }
        return text
    }

    private func extra(of value: ConfigurationValue) -> [Configuration.ExtraHeader]? {
        guard let entries = value.entries().flatMap({ value.bounded($0, 64, of: "fields") }) else { return nil }
        var seen: Set<String> = []
        return entries.compactMap { entry in
            guard isAllowed(entry), let source = entry.value.extraSource() else { return nil }
            guard seen.insert(FieldName.normalized(entry.key)).inserted else {
                value.context.fail(
                    entry.keyLocation, "duplicate field \(Quoted(entry.key)) in headers.extra",
                    "remove one of them; names are compared without case, and '_' equals '-'")
                return nil
            }
            return Configuration.ExtraHeader(name: entry.key, source: source)
        }
    }

    private func isAllowed(_ entry: MappingEntry) -> Bool {
        let name = FieldName.normalized(entry.key)
        guard let problem = problem(with: entry.key, normalized: name) else {
            if FieldName.ofClients.contains(name) || name.hasSuffix("-token") {
                entry.warn(
                    "the field \(Quoted(entry.key)) is removed from every inbound request",
                    "choose another name if clients send this one")
            }
            return true
        }
        entry.fail(problem, "choose another name, as in \(prefix)Role")
        return false
    }

    private func problem(with name: String, normalized: String) -> String? {
        if !FieldName.isValid(name) { return "\(Quoted(name)) is not a field name" }
        if FieldName.belongsToConnection(normalized) { return "the field \(Quoted(name)) belongs to the connection" }
        let isOwn = ownNames.contains { FieldName.normalized($0) == normalized }
        return isOwn || FieldName.isReserved(normalized) ? "the field \(Quoted(name)) is reserved" : nil
    }

    /// The names of the identity fields without `extra`.
    private var ownNames: [String] {
        [variableName] + ["Uid", "Provider", "Time", "Email", "Email-Verified", "Assertion"].map { prefix + $0 }
    }
}

extension ConfigurationValue {
    /// Returns names, and prefixes with a trailing `*`.
    fileprivate func removedFields() -> Configuration.RemovedFields? {
        let entries = oneOrList(atMost: 64, of: "fields") { element -> String? in
            guard let text = element.string(atMost: 128) else { return nil }
            guard let problem = Self.problem(withRemoving: text) else { return text }
            return element.fail(
                "\(element.name) is \(element.shown), which \(problem)", "specify another field, as in CF-*")
        }
        guard let entries else { return nil }
        var fields = Configuration.RemovedFields()
        fields.names = entries.filter { !$0.hasSuffix("*") }
        fields.prefixes = entries.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
        return fields
    }

    private static func problem(withRemoving text: String) -> String? {
        let isPrefix = text.hasSuffix("*")
        let name = isPrefix ? String(text.dropLast()) : text
        guard FieldName.isValid(name), !name.contains("*") else { return "is neither a field name nor a prefix of one" }
        guard isPrefix else { return FieldName.problem(withRemovingInbound: name) }
        return FieldName.fieldEndangered(byPrefix: name).map { "would remove the field \($0) from requests" }
    }

    /// Returns the path of a claim, or another expression.
    fileprivate func extraSource() -> Configuration.ExtraHeader.Source? {
        guard let scalar = scalar("a string") else { return nil }
        let path: Result<ClaimPath, ClaimPathError> = Result { () throws(ClaimPathError) in
            try ClaimPath(parsing: scalar.text)
        }
        switch path {
        case .success(let path): return string(atMost: ClaimPath.maximumLength).map { _ in .claim(path) }
        case .failure(let error) where !scalar.text.isEmpty && ClaimPath.resembles(scalar.text):
            // Some expressions resemble paths: `token.roles[0]`. `token` itself is rejected, since the variable
            // already contains all claims.
            if scalar.text != "token", let expression = expression(reportingErrors: false) { return expression }
            return fail("\(name) at character \(error.position): \(error.what)", error.remedy)
        case .failure: return expression(reportingErrors: true)
        }
    }

    private func expression(reportingErrors: Bool) -> Configuration.ExtraHeader.Source? {
        guard reportingErrors || !isSubstituted, let expression = rulesExpression() else { return nil }
        do throws(RuleProblems) {
            _ = try RuleValueExpression(expression)
            return .expression(expression)
        } catch {
            if reportingErrors { report(error) }
            return nil
        }
    }
}
