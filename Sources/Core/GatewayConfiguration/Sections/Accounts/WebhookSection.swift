package import GatewayCore
import JOSE

extension Configuration {
    /// The receiver of signed events about accounts (`accounts.webhook`).
    package struct Webhook: Sendable, Hashable {
        /// The URL that receives events (`url`).
        package var url: String
        /// The decoded secrets (`secret`), 1 to 4. Each event has a signature by each of them.
        package var secrets: [Secret]

        /// Creates a receiver.
        package init(url: String, secrets: [Secret]) {
            self.url = url
            self.secrets = secrets
        }
    }
}

extension Configuration.Webhook {
    /// The permitted sizes of a decoded secret, in bytes (Standard Webhooks 1.0.0).
    private static let secretSizes = 24...64

    /// Reads the section. `nil` after an error.
    static func read(_ mapping: MappingReader) -> Self? {
        let url = mapping.required("url", "add url: https://HOST/PATH, which receives the events")?.trustedURL(
            allowsPlainHTTP: false, .readSecrets, remedy: "use https://, or http:// to this machine")
        let secrets = mapping.required("secret", "add secret: whsec_BASE64, from: openssl rand -base64 32")?
            .oneOrList(atMost: 4, of: "secrets", secret)
        guard let url, let secrets else { return nil }
        return Self(url: url, secrets: secrets)
    }

    /// Reads a secret: base64 after `whsec_`.
    private static func secret(_ value: ConfigurationValue) -> Secret? {
        guard let secret = value.secret() else { return nil }
        let prefix = Array("whsec_".utf8)
        let decoded = secret.withBytes { bytes -> [UInt8]? in
            guard bytes.starts(with: prefix) else { return nil }
            let text = bytes.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: "=") }
            return Base64URL.decode(text.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 })
        }
        guard let decoded, secretSizes.contains(decoded.count) else {
            return value.fail(
                "\(value.name) is not whsec_ and base64 of 24 to 64 bytes",
                "make one with: echo whsec_$(openssl rand -base64 32)")
        }
        return Secret(decoded)
    }
}

extension Configuration.Accounts {
    /// The minimum size of a secret that seals tokens, in bytes.
    private static let minimumTokenKey = 32

    /// Reads the secrets that seal tokens.
    static func tokenKeys(_ value: ConfigurationValue) -> [Secret]? {
        value.oneOrList(atMost: 8, of: "keys") { value -> Secret? in
            guard let secret = value.secret() else { return nil }
            guard secret.count >= minimumTokenKey else {
                return value.fail(
                    "\(value.name) is shorter than \(minimumTokenKey) bytes", "make one with: openssl rand -base64 32")
            }
            return secret
        }
    }

    /// Reports kept tokens without a secret to seal them.
    func checkTokenKeys(_ mapping: MappingReader, at place: SourceLocation, _ others: Configuration) {
        guard let provider = others.identity.providers.first(where: { $0.codeFlow?.revokesTokens == true }) else {
            return
        }
        if tokenKeys.isEmpty {
            mapping.context.fail(
                place, "accounts.token_keys is missing, and identity.providers.\(provider.id) keeps tokens",
                "add token_keys: ${TOKEN_KEY}, a secret from: openssl rand -base64 32")
        }
    }
}

extension KnownKeys {
    static let webhook = KnownKeys("accounts.webhook", ["url", "secret"])
}
