import Authentication
package import HTTPWire

/// The names of the fields that a decision depends on or sets.
package struct DecisionFields: Sendable {
    /// The identity fields in every spelling.
    package let identity: ManagedFieldMatcher
    /// All fields that a client must not set, in every spelling.
    package let managed: ManagedFieldMatcher
    /// The names of all identity fields that the gateway may send, in lower case.
    let names: [String]
    /// The name of the field with the whole `auth` variable, in lower case.
    let variable: String
    /// Other spellings of these names, and the names of fields by which services replace the path or the method.
    let otherNames: [String]
    /// The fields by which services replace the path or the method, in every spelling.
    private let overrides = ManagedFieldMatcher(
        exact: Self.overridingMethods, prefixes: ["X-Original-", "X-Rewrite-"])
    private static let overridingMethods = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]
    private static let overridingPaths = [
        "x-original-url", "x-original-uri", "x-original-path", "x-original-method", "x-rewrite-url", "x-rewrite-uri",
        "x-rewrite-path",
    ]
    /// The names of the fields that carry credentials, in lower case.
    private let credentials: [[UInt8]]

    /// Creates the names.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of identity fields, for example `X-Auth-`.
    ///   - extra: The names of additional identity fields.
    ///   - managed: The fields that a client must not set.
    ///   - credentialHeader: The field of the Bearer token. `nil` if absent.
    package init(prefix: String, extra: [String], managed: ManagedFieldMatcher, credentialHeader: String?) {
        variable = String(prefix.dropLast()).lowercased()
        identity = ManagedFieldMatcher(exact: [variable] + extra, prefixes: [prefix])
        self.managed = managed
        let own = ["Uid", "Project", "Tenant", "Provider", "Email", "Email-Verified", "Time", "App", "Assertion"].map {
            prefix + $0
        }
        var names = [variable]
        for name in (own + extra).map({ $0.lowercased() }) where !names.contains(name) { names.append(name) }
        self.names = names
        otherNames =
            names.flatMap(Self.spellings) + Self.overridingPaths + Self.overridingMethods.map { $0.lowercased() }
        credentials = (["authorization", "cookie"] + [credentialHeader?.lowercased()].compactMap(\.self)).map {
            Array($0.utf8)
        }
    }

    /// Returns the other spellings that a service may read as the same name. A name with more than three `-` has only
    /// those with one separator.
    private static func spellings(of name: String) -> [String] {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 4 else { return ["_", "."].map { name.replacing("-", with: $0) } }
        var spellings = [String(parts[0])]
        for part in parts.dropFirst() {
            spellings = spellings.flatMap { start in ["-", "_", "."].map { "\(start)\($0)\(part)" } }
        }
        return spellings.filter { $0 != name }
    }

    /// Returns whether a service may read another path or method from the field with this name.
    func isOverride(_ name: UnsafeRawBufferPointer) -> Bool { overrides.matches(name) }

    /// Returns whether a proxy of this gateway removes the field with this name from its client's requests.
    func isListed(_ name: UnsafeRawBufferPointer) -> Bool {
        names.contains { ASCII.equals(name, Array($0.utf8)) }
    }

    /// Returns whether the decision depends on the field with this name, or sets it.
    func isProtected(_ name: UnsafeRawBufferPointer) -> Bool {
        managed.matches(name) || identity.matches(name) || credentials.contains { ASCII.equals(name, $0) }
    }

    /// Returns whether the field with this name is not part of a described request. The App Check token is part of it,
    /// although a service may not receive it.
    func removes(_ name: UnsafeRawBufferPointer) -> Bool {
        managed.matches(name) && !ASCII.equals(name, AppCheckField.name)
    }

    /// The value of `Vary`.
    var vary: String {
        let further = credentials.dropFirst(2).map { String(decoding: $0, as: UTF8.self) }
        return (["Authorization", "Cookie"] + further.filter { $0 != "authorization" }).joined(separator: ", ")
    }
}
