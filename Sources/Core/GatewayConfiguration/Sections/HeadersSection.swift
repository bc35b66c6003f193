import GatewayCore
import SecurityRules

extension Configuration.IdentityHeaders {
    private static let maximumExtra = 64

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
            return value.fail("headers.prefix is \(value.shown), without '-' at its end", "write a name as in X-Auth-")
        }
        if let field = FieldName.fieldEndangered(byPrefix: text) {
            return value.fail(
                "headers.prefix \(value.shown) would remove the field \(field) from requests", "use a longer prefix")
        }
        return text
    }

    private func extra(of value: ConfigurationValue) -> [Configuration.ExtraHeader]? {
        guard let entries = value.entries() else { return nil }
        guard entries.count <= Self.maximumExtra else {
            return value.fail("headers.extra has more than \(Self.maximumExtra) fields", "remove some")
        }
        var seen: Set<String> = []
        return entries.compactMap { entry in
            guard isAllowed(entry), let source = entry.value.extraSource() else { return nil }
            guard seen.insert(FieldName.normalized(entry.key)).inserted else {
                value.context.fail(
                    entry.keyLocation, "the field \(Quoted(entry.key)) stands twice in headers.extra",
                    "keep one of them; case, '-' and '_' make no difference")
                return nil
            }
            return Configuration.ExtraHeader(name: entry.key, source: source)
        }
    }

    private func isAllowed(_ entry: MappingEntry) -> Bool {
        let name = FieldName.normalized(entry.key)
        guard let problem = problem(with: entry.key, normalized: name) else {
            if FieldName.ofClients.contains(name) || name.hasSuffix("-token") {
                entry.value.context.warn(
                    entry.keyLocation, "the field \(Quoted(entry.key)) is removed from every request that carries it",
                    "choose another name if clients send this one")
            }
            return true
        }
        entry.value.context.fail(entry.keyLocation, problem, "choose another name, as in \(prefix)Role")
        return false
    }

    private func problem(with name: String, normalized: String) -> String? {
        if !FieldName.isValid(name) { return "\(Quoted(name)) is not a field name" }
        if FieldName.belongsToConnection(normalized) { return "the field \(Quoted(name)) belongs to the connection" }
        let isOwn = ownNames.contains { FieldName.normalized($0) == normalized }
        return isOwn || FieldName.isReserved(normalized) ? "the field \(Quoted(name)) is reserved" : nil
    }

    /// The identity fields that there are without `extra`.
    private var ownNames: [String] {
        [variableName] + ["Uid", "Provider", "Time", "Email", "Email-Verified", "Assertion"].map { prefix + $0 }
    }
}

extension ConfigurationValue {
    private static let maximumRemoved = 64

    /// Names, and beginnings of names with a `*` behind them.
    fileprivate func removedFields() -> Configuration.RemovedFields? {
        let entries = oneOrList { element -> String? in
            guard let text = element.string(atMost: 128) else { return nil }
            guard let problem = Self.problem(withRemoving: text) else { return text }
            return element.fail(
                "\(element.name) is \(element.shown), which \(problem)", "name another field, as in CF-*")
        }
        guard let entries else { return nil }
        guard entries.count <= Self.maximumRemoved else {
            return fail("\(name) has more than \(Self.maximumRemoved) fields", "remove some")
        }
        var fields = Configuration.RemovedFields()
        fields.names = entries.filter { !$0.hasSuffix("*") }
        fields.prefixes = entries.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
        return fields
    }

    private static func problem(withRemoving text: String) -> String? {
        let isPrefix = text.hasSuffix("*")
        let name = isPrefix ? String(text.dropLast()) : text
        guard FieldName.isValid(name), !name.contains("*") else { return "is no field name and no beginning of one" }
        guard isPrefix else { return FieldName.problem(withRemovingInbound: name) }
        return FieldName.fieldEndangered(byPrefix: name).map { "would remove the field \($0) from requests" }
    }

    /// A claim's path, or any other expression.
    fileprivate func extraSource() -> Configuration.ExtraHeader.Source? {
        guard let scalar = scalar("a text") else { return nil }
        let path: Result<ClaimPath, ClaimPathError> = Result { () throws(ClaimPathError) in
            try ClaimPath(parsing: scalar.text)
        }
        switch path {
        case .success(let path): return string(atMost: ClaimPath.maximumLength).map { _ in .claim(path) }
        case .failure(let error) where !scalar.text.isEmpty && ClaimPath.resembles(scalar.text):
            // Other expressions look like that too: `token.roles[0]`. All claims together are in the variable already.
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

    private var isSubstituted: Bool {
        if case .scalar(let scalar) = content { scalar.isSubstituted } else { false }
    }
}
