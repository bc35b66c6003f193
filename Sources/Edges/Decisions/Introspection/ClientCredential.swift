import GatewayCore
import HTTPWire
import JOSE
import TextCoding

/// The credential of a client in an introspection request: Basic (RFC 6749 section 2.3.1), or the secret as a Bearer
/// token.
package struct ClientCredential: Sendable {
    /// The client that a credential names. Failures are counted for it.
    package enum Name: Hashable, Sendable {
        /// The identifier, decoded. It may be unknown, of any length, and contain any characters.
        case client(String)
        /// A Bearer token, which names no client.
        case bearer
        /// A field that is neither form, or several fields.
        case unreadable
    }

    package let name: Name
    /// The possible pairs of identifier and secret. A Bearer token has no identifier.
    let pairs: [(id: [UInt8]?, secret: [UInt8])]

    /// Reads the credential of a request. `nil` if it has none.
    ///
    /// - Parameter isClient: Whether a client has that identifier.
    init?(_ request: RequestView, isClient: ([UInt8]) -> Bool) {
        guard let field = request.fields.first(.authorization) else { return nil }
        let value = field.value.bytes(in: request.bytes)
        guard request.fields.count(of: .authorization) == 1, let space = value.firstIndex(of: 0x20) else {
            (name, pairs) = (.unreadable, [])
            return
        }
        let scheme = UnsafeRawBufferPointer(rebasing: value[..<space])
        let credential = Array(value[(space + 1)...].drop { $0 == 0x20 })
        if ASCII.equals(scheme, "Bearer") {
            (name, pairs) = (.bearer, [(nil, credential)])
            return
        }
        guard ASCII.equals(scheme, "Basic"), let pair = Self.decoded(credential),
            let colon = pair.firstIndex(of: UInt8(ascii: ":"))
        else {
            (name, pairs) = (.unreadable, [])
            return
        }
        // Clients encode both parts as in forms, or not at all.
        let (id, secret) = (Array(pair[..<colon]), Array(pair[(colon + 1)...]))
        let (plainID, plainSecret) = (FormEncoding.decoded(id), FormEncoding.decoded(secret))
        pairs = [(id, secret), (plainID ?? [], plainSecret ?? [])]
        // All spellings of an identifier have one name, so that they share its limits.
        name = .client(String(decoding: isClient(id) ? id : plainID ?? id, as: UTF8.self))
    }

    /// Decodes base64 with or without padding (RFC 4648 section 4).
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var text = text
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for index in text.indices {
            if text[index] == UInt8(ascii: "+") { text[index] = UInt8(ascii: "-") }
            if text[index] == UInt8(ascii: "/") { text[index] = UInt8(ascii: "_") }
        }
        return Base64URL.decode(text)
    }
}
