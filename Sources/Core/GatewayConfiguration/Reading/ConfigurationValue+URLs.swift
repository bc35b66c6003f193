import GatewayCore

/// What somebody on the way could do with an exchange that has no TLS.
enum PlainHTTPRisk: String {
    /// Key sets and discovery documents.
    case replacedKeys = "whose keys anybody on the way could replace"
    /// Calls that carry tokens and the secret that the gateway is known by.
    case readSecrets = "where anybody on the way could read tokens and secrets"
    /// The name of an issuer, which is never called as such.
    case anyIssuer = "in whose name anybody on the way could issue tokens"
}

extension HTTPURL {
    /// The URL of a text: https, or http to this machine, or http to any where that is allowed.
    static func trusted(
        _ text: String, allowsPlainHTTP: Bool, _ risk: PlainHTTPRisk,
        remedy: String = "use https://, or set insecure_http: true"
    ) throws(Failure) -> HTTPURL {
        let url = try HTTPURL(parsing: text)
        guard url.isSecure || allowsPlainHTTP || IPLiteral.isLoopback(host: url.host) else {
            throw Failure(what: "an http:// URL of another machine, \(risk.rawValue)", remedy: remedy)
        }
        return url
    }
}

extension ConfigurationValue {
    /// The text of a URL: https, or http to this machine, or http to any where that is allowed.
    func trustedURL(
        atMost maximum: Int = 2_048, allowsPlainHTTP: Bool, _ risk: PlainHTTPRisk,
        remedy: String = "use https://, or set insecure_http: true"
    ) -> String? {
        guard let text = string(atMost: maximum) else { return nil }
        do {
            _ = try HTTPURL.trusted(text, allowsPlainHTTP: allowsPlainHTTP, risk, remedy: remedy)
            return text
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
    }
}
