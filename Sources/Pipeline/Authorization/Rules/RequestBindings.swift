package import Authentication
package import GatewayCore
package import HTTPWire
package import SecurityRules

/// The values that rules read from a request: the fields that the upstream receives, without credentials. A worker
/// reuses one object for successive requests.
package final class RequestBindings: RuleBindings {
    private let isShown: @Sendable (Field, RequestView) -> Bool
    private var request: RequestView?
    private var places: CredentialSources?
    /// The verified identity. `nil` if the request is anonymous.
    var identity: VerifiedTokenCache.Entry?
    /// The verified app. `nil` without a verified App Check token.
    private var app: AppCheckApp?
    /// Whether rules have read the app, the query or a field of the request.
    package private(set) var hasReadFields = false

    /// Creates bindings.
    ///
    /// - Parameter isShown: Whether rules may read a field.
    package init(isShown: @escaping @Sendable (Field, RequestView) -> Bool) {
        self.isShown = isShown
    }

    /// Returns new bindings without a request and with the same visibility of fields.
    func fresh() -> RequestBindings { RequestBindings(isShown: isShown) }

    /// Binds a request without the credential sources in `places`, until `end()`.
    package func begin(_ request: RequestView, of app: AppCheckApp? = nil, hiding places: CredentialSources? = nil) {
        self.request = request
        self.app = app
        hasReadFields = false
        self.places = places
    }

    /// Unbinds the request.
    package func end() {
        request = nil
        app = nil
        places = nil
        identity = nil
    }

    package func value(of binding: RuleBinding) -> RuleValue {
        if case .auth = binding { return auth }
        guard let request else { return .unreadable }
        switch binding {
        case .auth: return auth
        case .method: return Self.method(of: request)
        case .host: return .string(Self.host(of: request))
        case .app, .query, .headers, .header: hasReadFields = true
        }
        return switch binding {
        case .app: app?.variable ?? .null
        case .query: query(of: request)
        case .header(let name): header(name, of: request)
        default: headers(of: request)
        }
    }

    private func query(of request: RequestView) -> RuleValue {
        guard let query = request.head.query else { return .map(RuleMap([])) }
        return QueryText.value(of: query.bytes(in: request.bytes), hiding: places?.parameter)
    }

    private func shows(_ field: Field, of request: RequestView) -> Bool {
        isShown(field, request) && places?.holdsProtocols(field, in: request.bytes) != true
    }

    private var auth: RuleValue {
        guard let identity else { return .null }
        return identity.identity.auth?.value ?? RuleAuth(identity.principal).value
    }

    private static func method(of request: RequestView) -> RuleValue {
        .string(String(decoding: request.head.methodRange.bytes(in: request.bytes), as: UTF8.self))
    }

    /// Returns the host in lower case, or empty text without one.
    private static func host(of request: RequestView) -> String {
        let name = request.head.hostName
        guard !name.name.isEmpty else { return "" }
        return String(unsafeUninitializedCapacity: name.name.count) { output in
            name.copyLowercased(from: request.bytes, into: UnsafeMutableRawBufferPointer(output))
        }
    }

    // MARK: - Fields

    private func headers(of request: RequestView) -> RuleValue {
        var entries: [(key: String, value: RuleValue)] = []
        var seen: Set<String> = []
        for index in 0..<request.fields.count where shows(request.fields[index], of: request) {
            let name = Self.lowercased(request.fields[index].name.bytes(in: request.bytes))
            if seen.insert(name).inserted { entries.append((name, header(name, of: request))) }
        }
        return .map(RuleMap(entries))
    }

    /// Returns the values of all fields with that name, in order, joined with `, ` (RFC 9110 section 5.3).
    private func header(_ name: String, of request: RequestView) -> RuleValue {
        var value: [UInt8]?
        for index in 0..<request.fields.count where Self.isNamed(request.fields[index], name, in: request.bytes) {
            guard shows(request.fields[index], of: request) else { continue }
            let bytes = request.fields[index].value.bytes(in: request.bytes)
            if value == nil { value = Array(bytes) } else { value?.append(contentsOf: Array(", ".utf8) + bytes) }
        }
        guard let value else { return .null }
        return String(validating: value, as: UTF8.self).map(RuleValue.string) ?? .unreadable
    }

    /// Returns whether a field has this name, given in lower case.
    private static func isNamed(_ field: Field, _ name: String, in head: UnsafeRawBufferPointer) -> Bool {
        let bytes = field.name.bytes(in: head)
        guard bytes.count == name.utf8.count else { return false }
        return zip(bytes, name.utf8).allSatisfy { lowercased($0) == $1 }
    }

    private static func lowercased(_ name: UnsafeRawBufferPointer) -> String {
        String(decoding: name.map(lowercased), as: UTF8.self)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
