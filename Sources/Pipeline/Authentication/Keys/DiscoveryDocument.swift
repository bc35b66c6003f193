import GatewayCore
import HTTPWire
import JOSE
import OutboundHTTP

/// The members of a provider's discovery document (OpenID Connect Discovery 1.0 section 3) that concern ID tokens.
struct DiscoveryDocument {
    /// The URL of the provider's key set.
    let keysURL: String
    /// The supported algorithms with which the provider signs ID tokens. `nil` if the document does not list them.
    let algorithms: Set<Algorithm>?

    /// Parses and checks a document.
    ///
    /// - Parameters:
    ///   - body: The document.
    ///   - url: The URL that returned the document.
    ///   - issuer: The expected issuer, compared byte for byte. Otherwise any document could name the keys of another
    ///     issuer.
    init(_ body: [UInt8], from url: String, issuer: String) throws(KeyFetchError) {
        guard let root = (try? JSONDocument(body, limits: .keySet))?.root, root.kind == .object else {
            throw KeyFetchError(.notADiscovery, "not a JSON object")
        }
        try Self.check(root["issuer"], is: issuer)
        keysURL = try Self.keysURL(root["jwks_uri"], from: url)
        algorithms = try Self.algorithms(root["id_token_signing_alg_values_supported"])
    }

    private static func check(_ claim: JSONValue?, is issuer: String) throws(KeyFetchError) {
        guard let reported = claim?.string else { throw KeyFetchError(.notADiscovery, "no issuer") }
        guard !reported.utf8.elementsEqual(issuer.utf8) else { return }
        let isSlash = IssuerText.differsBySlash(reported, issuer)
        let hint = isSlash ? "; they differ only by a trailing slash" : ""
        throw KeyFetchError(
            .issuerMismatch, "the document contains \(shown(reported)), the configuration \(shown(issuer))\(hint)")
    }

    /// Returns a URL that is at least as safe as the document's own. A document from an https URL must name an https
    /// URL. A document from this machine may name a plain http URL on this machine only.
    private static func keysURL(_ member: JSONValue?, from url: String) throws(KeyFetchError) -> String {
        guard let keysURL = member?.string else { throw KeyFetchError(.notADiscovery, "no jwks_uri") }
        guard let keys = try? HTTPURL(parsing: keysURL) else {
            throw KeyFetchError(.notADiscovery, "jwks_uri is not a valid http or https URL")
        }
        guard keys.isSecure || mayBePlain(keys, from: url) else {
            throw KeyFetchError(.notADiscovery, "jwks_uri is not https")
        }
        return keysURL
    }

    private static func mayBePlain(_ keys: HTTPURL, from url: String) -> Bool {
        guard let document = try? HTTPURL(parsing: url), !document.isSecure else { return false }
        // Documents of other machines are fetched over http only if the configuration declares it insecure.
        return IPAddress.isLoopback(host: keys.host) || !IPAddress.isLoopback(host: document.host)
    }

    private static func algorithms(_ member: JSONValue?) throws(KeyFetchError) -> Set<Algorithm>? {
        guard let member else { return nil }
        guard member.kind == .array, member.elements.allSatisfy({ $0.kind == .string }) else {
            throw KeyFetchError(.notADiscovery, "id_token_signing_alg_values_supported is not an array of strings")
        }
        return Set(member.elements.compactMap { $0.string.flatMap(Algorithm.init(rawValue:)) })
    }

    /// Masks characters of a document that could control a terminal or hide a difference.
    private static func shown(_ text: String) -> String {
        String(text.unicodeScalars.prefix(70).map { (0x21...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}
