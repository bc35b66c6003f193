import GatewayConfiguration
import GatewayCore

/// A request to be explained instead of sent.
package struct ExplainedRequest: Sendable {
    /// The method, in upper case.
    package var method: String
    /// `http://HOST/PATH?QUERY`, or a path for the first configured listener. It is used literally: nothing is
    /// resolved, and a fragment is dropped as by clients.
    package var url: String
    /// An ID token, sent in the configured header.
    package var token: String?
    /// A session cookie, sent in the configured cookie.
    package var sessionCookie: String?
    /// The host in place of the URL's. `nil` for the URL's host.
    package var host: String?
    /// Additional fields. Over HTTP/1.1, `Host` overrides ``host`` and the URL's host. Over HTTP/2, names are sent
    /// literally, and a pseudo-header replaces the request's own.
    package var fields: [(name: String, value: String)]
    /// Whether the request is sent over HTTP/2.
    package var usesHTTP2 = false

    /// Creates a request without a body.
    package init(
        method: String, url: String, token: String? = nil, sessionCookie: String? = nil,
        fields: [(name: String, value: String)] = []
    ) {
        self.method = method
        self.url = url
        self.token = token
        self.sessionCookie = sessionCookie
        self.fields = fields
    }
}

/// The reason why the parts do not form a valid request.
package struct ExplainedRequestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error and its remedy.
    package let description: String
}

extension ExplainedRequest {
    /// Returns the bytes of the request's head, as a client would send them.
    func head(for configuration: Configuration) throws(ExplainedRequestError) -> [UInt8] {
        let (_, urlHost, target) = try origin(configuration)
        var host = self.host ?? urlHost ?? Self.defaultHost(configuration)
        var lines = try fields(configuration)
        if let named = lines.firstIndex(where: { $0.name.lowercased() == "host" }) {
            host = lines.remove(at: named).value
        }
        lines.insert(("Host", host), at: 0)
        let text = "\(method) \(target) HTTP/1.1\r\n" + lines.map { "\($0.name): \($0.value)\r\n" }.joined()
        let parts = [method, target] + lines.flatMap { [$0.name, $0.value] }
        guard parts.allSatisfy({ $0.utf8.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D } }) else {
            throw ExplainedRequestError(description: "a line break or NUL in the request; remove it")
        }
        return Array((text + "\r\n").utf8)
    }

    /// Returns the scheme, the host and the target of the URL. The host is `nil` if the URL is a path.
    func origin(
        _ configuration: Configuration
    ) throws(ExplainedRequestError) -> (scheme: String, host: String?, target: String) {
        let url = String(url.prefix { $0 != "#" })
        if url.hasPrefix("/") || url == "*" {
            return (configuration.listen.first?.tls == nil ? "http" : "https", nil, url)
        }
        guard let scheme = ["http://", "https://"].first(where: { url.lowercased().hasPrefix($0) }) else {
            throw ExplainedRequestError(
                description:
                    "\(ShownText.quoted(url)) is not a URL; write http://HOST/PATH, or a path that begins with /")
        }
        let rest = url.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        guard !host.isEmpty, !host.contains("@") else {
            throw ExplainedRequestError(
                description:
                    "\(ShownText.quoted(url)) has no plain host; write http://HOST/PATH, and credentials as options")
        }
        let target = rest.dropFirst(host.count)
        return (String(scheme.dropLast(3)), String(host), target.hasPrefix("/") ? String(target) : "/" + target)
    }

    static func defaultHost(_ configuration: Configuration) -> String {
        guard let address = configuration.listen.first?.address, !address.isWildcard, address.path == nil else {
            return "localhost"
        }
        return "\(address)"
    }

    /// Returns the additional fields and the fields of the credentials.
    func fields(
        _ configuration: Configuration
    ) throws(ExplainedRequestError) -> [(name: String, value: String)] {
        let places = configuration.identity.credentials
        var fields = fields
        if let token {
            guard let name = places.header else {
                throw ExplainedRequestError(
                    description: "identity.credentials.header is null, so no ID token is accepted; omit the token")
            }
            fields.append((name, "Bearer \(token)"))
        }
        if let sessionCookie {
            guard let name = places.cookie else {
                throw ExplainedRequestError(
                    description: "identity.credentials.cookie is null, so no cookie is accepted; omit the cookie")
            }
            fields.append(("Cookie", "\(name)=\(sessionCookie)"))
        }
        return fields
    }
}
