import GatewayCore
import HTTPWire
import JOSE
import OutboundHTTP

/// What a provider says of itself (OpenID Connect Discovery 1.0 section 3), as far as its ID tokens are concerned.
struct DiscoveryDocument {
    /// Where its keys are.
    let keysURL: String
    /// What it signs ID tokens with, of what can be verified; nil: it does not say.
    let algorithms: Set<Algorithm>?

    /// - Parameters:
    ///   - body: the document.
    ///   - url: where it was read.
    ///   - issuer: whose it must be, byte for byte: else anybody's document could name the keys of another issuer.
    init(_ body: [UInt8], from url: String, issuer: String) throws(KeyFetchError) {
        guard let root = (try? JSONDocument(body, limits: .keySet))?.root, root.kind == .object else {
            throw KeyFetchError(.notADiscovery, "no JSON object")
        }
        try Self.check(root["issuer"], is: issuer)
        keysURL = try Self.keysURL(root["jwks_uri"], from: url)
        algorithms = try Self.algorithms(root["id_token_signing_alg_values_supported"])
    }

    private static func check(_ claim: JSONValue?, is issuer: String) throws(KeyFetchError) {
        guard let told = claim?.string else { throw KeyFetchError(.notADiscovery, "no issuer") }
        guard !told.utf8.elementsEqual(issuer.utf8) else { return }
        let isSlash = IssuerText.differsBySlash(told, issuer)
        let hint = isSlash ? "; they differ by the slash at the end" : ""
        throw KeyFetchError(.issuerMismatch, "the document's is \(shown(told)), configured is \(shown(issuer))\(hint)")
    }

    /// As safe as the document itself: one that came over TLS may not lead to keys that do not, and one of this machine to no other
    /// machine without it.
    private static func keysURL(_ member: JSONValue?, from url: String) throws(KeyFetchError) -> String {
        guard let keysURL = member?.string else { throw KeyFetchError(.notADiscovery, "no jwks_uri") }
        guard let keys = try? HTTPURL(parsing: keysURL) else {
            throw KeyFetchError(.notADiscovery, "jwks_uri is no URL that can be asked")
        }
        guard keys.isSecure || mayBePlain(keys, from: url) else {
            throw KeyFetchError(.notADiscovery, "jwks_uri is not https")
        }
        return keysURL
    }

    private static func mayBePlain(_ keys: HTTPURL, from url: String) -> Bool {
        guard let document = try? HTTPURL(parsing: url), !document.isSecure else { return false }
        // Over http, documents of other machines come only where the configuration calls that insecure itself.
        return IPAddress.isLoopback(host: keys.host) || !IPAddress.isLoopback(host: document.host)
    }

    private static func algorithms(_ member: JSONValue?) throws(KeyFetchError) -> Set<Algorithm>? {
        guard let member else { return nil }
        guard member.kind == .array, member.elements.allSatisfy({ $0.kind == .string }) else {
            throw KeyFetchError(.notADiscovery, "id_token_signing_alg_values_supported is no list of names")
        }
        return Set(member.elements.compactMap { $0.string.flatMap(Algorithm.init(rawValue:)) })
    }

    /// Text of a document may not drive a terminal, nor hide what it differs in.
    private static func shown(_ text: String) -> String {
        String(text.unicodeScalars.prefix(70).map { (0x21...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}
