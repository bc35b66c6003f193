import JOSE

/// The gateway's own name and secret at somebody whom it asks, as HTTP Basic sends them (RFC 7617).
package enum BasicCredentials {
    /// The value of `Authorization`. It holds the secret: make it when it is sent, keep none.
    package static func field(name: some Sequence<UInt8>, secret: some Sequence<UInt8>) -> String {
        "Basic " + base64(Array(name) + [UInt8(ascii: ":")] + Array(secret))
    }

    /// Base64 with padding (RFC 4648 section 4).
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
