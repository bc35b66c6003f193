import GatewayCore
import HTTPWire

/// The origin of a web page as serialized by browsers (RFC 6454 section 6.2): scheme, host, and the port unless it is
/// the default.
enum BrowserOrigin {
    /// Returns the browsers' spelling of a URL's origin.
    static func spelling(of text: String) throws(HTTPURL.Failure) -> String {
        if text.contains("*") {
            throw HTTPURL.Failure(
                what: "an origin with a wildcard; an attacker may control a matching host", remedy: "list each origin")
        }
        guard text.contains("://") else {
            throw HTTPURL.Failure(what: "no origin", remedy: "write https://HOST, or https://HOST:PORT")
        }
        let url = try HTTPURL(parsing: text)
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        let port = url.port == (url.isSecure ? 443 : 80) ? "" : ":\(url.port)"
        return "\(url.isSecure ? "https" : "http")://\(host)\(port)"
    }
}

extension ConfigurationValue {
    /// Returns a permitted origin, which must have the browsers' spelling.
    func origin() -> String? {
        guard !isNullWord else { return fail("\(name) is null, an origin that any page can send", "remove it") }
        guard let text = string(atMost: 512) else { return nil }
        let spelling: String
        do {
            spelling = try BrowserOrigin.spelling(of: text)
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
        guard spelling.utf8.elementsEqual(text.utf8) else {
            return fail(
                "\(name) is \(shown), not in the form that browsers send",
                "write \(isSubstituted ? "scheme and host in lower case, without the scheme's default port" : spelling)"
            )
        }
        warnOfPlainHTTP(text)
        return text
    }

    /// Returns the public origin of pages. Without TLS, browsers keep no secure cookie, and secrets can be read in
    /// transit.
    func publicOrigin() -> String? {
        guard let origin = origin() else { return nil }
        guard let url = try? HTTPURL(parsing: origin), url.isSecure || url.isLoopback else {
            return fail("\(name) is \(shown), without TLS", "use https://, or http://127.0.0.1:PORT")
        }
        return origin
    }

    private func warnOfPlainHTTP(_ origin: String) {
        guard let url = try? HTTPURL(parsing: origin), !url.isSecure, !IPAddress.isLoopback(host: url.host) else {
            return
        }
        warn(
            "the pages of \(shown) can be modified in transit, and modified pages can send requests as its users",
            "use https://")
    }

    private var isNullWord: Bool {
        if case .scalar(let scalar) = content { scalar.text.lowercased() == "null" } else { false }
    }

    /// Returns an origin, `*`, or a quoted `null`.
    func corsOrigin() -> String? {
        guard case .scalar(let scalar) = content else { return origin() }
        if scalar.text == "*" { return "*" }
        if scalar.text == "null", !scalar.isPlain {
            warn("every sandboxed frame and local file has the origin null", "list real origins")
            return "null"
        }
        return BrowserOrigin.isOfAnApp(scalar.text) ? scalar.text : origin()
    }
}

extension BrowserOrigin {
    /// Returns whether the text is the origin of an app's embedded page, such as `capacitor://localhost`: a custom
    /// scheme and a host.
    fileprivate static func isOfAnApp(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://"), text.utf8.count <= 512 else { return false }
        let (scheme, host) = (text[..<separator.lowerBound], text[separator.upperBound...])
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first), !["http", "https"].contains(scheme) else {
            return false
        }
        let isScheme = scheme.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
        }
        return isScheme && HostName.isValid(String(host))
    }
}
