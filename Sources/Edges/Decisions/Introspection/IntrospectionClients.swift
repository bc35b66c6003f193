package import GatewayConfiguration
package import GatewayCore
import HTTPWire
import JOSE
import TextCoding

/// The services that may query tokens, and their authentication (RFC 7662 section 2.1).
package struct IntrospectionClients: Sendable {
    private let clients: [Configuration.Introspection.Client]

    package init(_ clients: [Configuration.Introspection.Client]) {
        self.clients = clients
    }

    /// Returns the identifier of the client of a request, by Basic (RFC 6749 section 2.3.1) or by its secret as a
    /// Bearer token. `nil` if it is not authenticated. All clients are compared, in constant time.
    package func client(of request: RequestView) -> String? {
        guard request.fields.count(of: .authorization) == 1, let field = request.fields.first(.authorization) else {
            return nil
        }
        let value = field.value.bytes(in: request.bytes)
        guard let space = value.firstIndex(of: 0x20) else { return nil }
        let scheme = UnsafeRawBufferPointer(rebasing: value[..<space])
        let credential = Array(value[(space + 1)...].drop { $0 == 0x20 })
        if ASCII.equals(scheme, "Bearer") { return client { $0.secret.matches(credential) } }
        guard ASCII.equals(scheme, "Basic"), let pair = Self.decoded(credential),
            let colon = pair.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let (id, secret) = (pair[..<colon], pair[(colon + 1)...])
        let forms = [(Array(id), Array(secret)), (FormEncoding.decoded(id) ?? [], FormEncoding.decoded(secret) ?? [])]
        return client { client in
            // Clients encode both parts as in forms, or not at all.
            forms.reduce(false) { found, form in
                let matches = client.secret.matches(form.1)
                return form.0.elementsEqual(client.id.utf8) && matches || found
            }
        }
    }

    private func client(_ matches: (Configuration.Introspection.Client) -> Bool) -> String? {
        var found: String?
        for client in clients where matches(client) { found = client.id }
        return found
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
