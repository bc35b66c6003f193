import GatewayCore

extension Configuration.Firebase {
    /// The environment variable that overrides `keys_url`.
    package static let keysURLVariable = "GATEHOUSE_FIREBASE_KEYS_URL"
    /// The environment variable that overrides `session_keys_url`.
    package static let sessionKeysURLVariable = "GATEHOUSE_FIREBASE_SESSION_KEYS_URL"

    /// Nil where there is no valid project.
    init?(_ mapping: MappingReader) {
        let value = mapping.required("project", "add the project's id, as in project: my-app")
        let project = value.flatMap(Self.project)
        self.init(project: project ?? "")
        mapping.set(&tenant, "tenant") { $0.string(atMost: 128).map { $0 == "*" ? .any : .only($0) } }
        mapping.set(&insecureHTTP, "insecure_http") { $0.boolean() }
        mapping.set(&insecureEmulator, "insecure_emulator") { $0.boolean() }
        mapping.set(&keysURL, "keys_url") {
            $0.trustedURL(allowsPlainHTTP: insecureHTTP, .replacedKeys)
        }
        mapping.set(&sessionKeysURL, "session_keys_url") {
            $0.trustedURL(allowsPlainHTTP: insecureHTTP, .replacedKeys)
        }
        override(from: mapping.context, at: mapping.location)
        warn(mapping)
        if project == nil { return nil }
    }

    /// Whether the text may be a project's id: it becomes part of a URL and is compared with the audience.
    static func isProject(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { ClaimPathParser.continuesName($0) || "-.:".utf8.contains($0) }
    }

    /// Takes the key URLs from the environment where it has them, and gives what is wrong with them.
    mutating func override(from environment: [String: String]) -> [(variable: String, failure: HTTPURL.Failure)] {
        var failures: [(variable: String, failure: HTTPURL.Failure)] = []
        for (variable, target) in [
            (Self.keysURLVariable, \Self.keysURL), (Self.sessionKeysURLVariable, \Self.sessionKeysURL),
        ] {
            guard let text = environment[variable], !text.isEmpty else { continue }
            do {
                _ = try HTTPURL.trusted(text, allowsPlainHTTP: insecureHTTP, .replacedKeys)
                self[keyPath: target] = text
            } catch {
                failures.append((variable, error))
            }
        }
        return failures
    }

    private mutating func override(from context: LoadingContext, at location: SourceLocation) {
        for (variable, failure) in override(from: context.substitution.environment) {
            context.fail(location, "the environment variable \(variable) is \(failure.what)", failure.remedy)
        }
    }

    private static func project(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 128) else { return nil }
        guard isProject(text) else {
            return value.fail("\(value.name) is not a project's id", "write the id that the Firebase console shows")
        }
        return text
    }

    private func warn(_ mapping: MappingReader) {
        if insecureEmulator {
            mapping.context.warn(
                mapping.location(of: "insecure_emulator"), "anybody can make the unsigned tokens that are accepted",
                "only for development with the Firebase emulator")
        }
        if insecureHTTP {
            mapping.context.warn(
                mapping.location(of: "insecure_http"), "keys may be fetched without TLS and be replaced on the way",
                "only for development, or inside a network that you trust")
        }
    }
}
