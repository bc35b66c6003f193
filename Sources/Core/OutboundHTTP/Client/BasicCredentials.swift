import JOSE

/// The gateway's credentials for a service, as HTTP Basic (RFC 7617).
package enum BasicCredentials {
    /// Returns the value of `Authorization`. It contains the secret, so it is created for each request and never
    /// stored.
    package static func field(name: some Sequence<UInt8>, secret: some Sequence<UInt8>) -> String {
        "Basic " + base64(Array(name) + [UInt8(ascii: ":")] + Array(secret))
    }

    /// Encodes base64 with padding (RFC 4648 section 4).
    package static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64URL.encode(bytes, into: &text)
        for index in text.indices {
            if text[index] == UInt8(ascii: "-") { text[index] = UInt8(ascii: "+") }
            if text[index] == UInt8(ascii: "_") { text[index] = UInt8(ascii: "/") }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The name of a service for logs and the admin API: its URL without parts that may be secret.
package enum KeySource {
    /// Returns `url` without user, password, query and fragment.
    package static func name(of url: String) -> String {
        let shown = url.prefix { $0 != "?" && $0 != "#" }
        guard let scheme = shown.firstRange(of: "://") else { return String(shown) }
        let authority = shown[scheme.upperBound...].prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return String(shown) }
        return String(shown[..<scheme.upperBound] + shown[shown.index(after: at)...])
    }
}
