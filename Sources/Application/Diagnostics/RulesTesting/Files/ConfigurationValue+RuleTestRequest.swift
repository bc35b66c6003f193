import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPWire
import Routing

extension KnownKeys {
    static let ruleTestRequest = KnownKeys(
        "tests[].request", ["method", "path", "host", "headers", "time", "app"], empty: ["app": .null])
    static let ruleTestApp = KnownKeys("tests[].request.app", ["id", "name"])
}

extension ConfigurationValue {
    /// Reads `METHOD PATH?QUERY`, or a mapping.
    ///
    /// - Parameters:
    ///   - time: The default `request.time`, in seconds since 1970.
    ///   - host: The default host.
    func ruleTestRequest(at time: Int64, of host: String) -> RuleTestRequest? {
        if case .mapping = content { return mappedRequest(at: time, of: host) }
        guard let text = string(atMost: CanonicalPath.maximumLength) else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            return fail("\(name) is \(shown), not a method and a path", "write it as in GET /v1/users/ann")
        }
        return ruleTestRequest(method: String(parts[0]), target: String(parts[1]), host, headers: [], time)
    }

    private func mappedRequest(at time: Int64, of host: String) -> RuleTestRequest? {
        guard let mapping = mapping(.ruleTestRequest) else { return nil }
        var (method, host, time) = ("GET", host, time)
        mapping.set(&method, "method") { $0.string(atMost: 32) }
        mapping.set(&host, "host") { $0.string(atMost: 253) }
        mapping.set(&time, "time") { $0.moment() }
        let path = mapping.required("path", "as in /v1/users/ann")
        let app = mapping.value("app").flatMap { $0.ruleTestApp() }
        let headers = mapping.value("headers").map { $0.ruleTestHeaders() } ?? []
        guard let path, let target = path.string(atMost: CanonicalPath.maximumLength), let headers else { return nil }
        var request = path.ruleTestRequest(method: method, target: target, host, headers: headers, time)
        request?.app = app
        return request
    }

    /// Reads the app of an App Check token.
    private func ruleTestApp() -> RuleTestRequest.App? {
        guard let mapping = mapping(.ruleTestApp) else { return nil }
        let id = mapping.required("id", "add the App ID, as in \"1:123456789012:web:abc\"")?.string(atMost: 128)
        let name = mapping.required("name", "add the name of the app in the configuration")?.string(atMost: 64)
        guard let id, let name else { return nil }
        return RuleTestRequest.App(id: id, name: name)
    }

    private func ruleTestRequest(
        method: String, target: String, _ host: String, headers: [(name: String, value: String)], _ time: Int64
    ) -> RuleTestRequest? {
        guard !method.isEmpty, method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            return fail("\(Quoted(method)) is no method", "write one in upper case, as in GET")
        }
        guard !host.utf8.contains(UInt8(ascii: ":")) || host.utf8.last == UInt8(ascii: "]") else {
            return fail("the host \(Quoted(host)) has a port", "remove it: request.host has none")
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            return fail(
                "the path or query of \(Quoted(target)) has bytes that no request has there",
                "the gateway responds with 400; write them as %HH")
        }
        guard let path = canonicalPath(String(parts.first ?? "")) else { return nil }
        return RuleTestRequest(
            text: "\(method) \(target)", method: method, path: path,
            query: parts.count > 1 ? Array(parts[1].utf8) : nil,
            host: host.lowercased(), headers: headers, time: time)
    }

    /// Returns the canonical path, as the gateway computes it.
    private func canonicalPath(_ path: String) -> [UInt8]? {
        let scratch = PathScratch(capacity: path.utf8.count + 1)
        let result = Array(path.utf8).withUnsafeBytes { bytes in
            Result { () throws(PathError) in
                Array(scratch.bytes(of: try CanonicalPath(bytes, scratch: scratch).merged, in: bytes))
            }
        }
        switch result {
        case .success(let path): return path
        case .failure(let error):
            return fail(
                "the path \(Quoted(path)) is refused before any rule (\(error.reason))",
                "the gateway responds with 400; correct or remove the test")
        }
    }
}

extension ConfigurationValue {
    private static let credentials = ["authorization", "proxy-authorization", "cookie"]

    fileprivate func ruleTestHeaders() -> [(name: String, value: String)]? {
        guard let entries = entries(permitting: .text) else { return nil }
        var seen: Set<String> = []
        let headers = entries.compactMap { entry -> (name: String, value: String)? in
            let name = entry.key.lowercased()
            guard !Self.credentials.contains(name) else {
                return entry.value.fail("rules cannot read the field \(Quoted(entry.key))", "define the user with auth")
            }
            guard FieldName.isValid(name) else {
                return entry.value.fail("\(Quoted(entry.key)) is not a field name", "write letters, digits and '-'")
            }
            guard Self.reachesRules(name) else {
                return entry.value.fail(
                    "the gateway removes the field \(Quoted(entry.key)), or writes it itself: rules never see what a client sends there",
                    "remove it from the test")
            }
            guard seen.insert(name).inserted else {
                return entry.value.fail("the field \(Quoted(entry.key)) is repeated", "join the values with ', '")
            }
            return entry.value.headerValue().map { (name, $0) }
        }
        return headers.count == entries.count ? headers : nil
    }

    /// Returns whether rules can read a client's field, with the default prefix and no additional identity fields.
    private static func reachesRules(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let isManaged = bytes.withUnsafeBytes { hygiene.managed.matches($0) }
        return !isManaged && !ofTheConnection.contains(name)
    }

    private static let hygiene = HeaderHygiene(prefix: "X-Auth-", extra: [])

    /// Connection-specific fields, and `Host`, which the request's host represents.
    private static let ofTheConnection: Set<String> = [
        "connection", "expect", "host", "http2-settings", "keep-alive", "proxy-authenticate",
        "proxy-authentication-info", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private func headerValue() -> String? {
        guard case .scalar(let scalar) = content else { return fail("\(name) is not a string", "write a string") }
        guard scalar.text.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
            return fail("\(name) contains a control character", "keep it on one line")
        }
        return scalar.text
    }
}
