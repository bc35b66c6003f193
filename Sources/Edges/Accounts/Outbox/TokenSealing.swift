import GatewayConfiguration
package import GatewayCore
import JOSE
import Revocation

/// A token that a provider issued for a code, with which the user's grant can be revoked.
struct GrantedToken: Sendable, Equatable {
    /// The maximum size, in bytes. Longer tokens are not kept.
    static let maximumSize = 4_096

    let text: String
    let isRefreshToken: Bool
    /// The client that received the token.
    let clientID: String

    init(text: String, isRefreshToken: Bool, clientID: String) {
        self.text = text
        self.isRefreshToken = isRefreshToken
        self.clientID = clientID
    }

    /// Creates the refresh token of a response, or the access token if there is none. GitHub revokes grants by access
    /// tokens only. `nil` if there is no token that can be kept.
    init?(_ tokens: TokenExchange.Tokens, of provider: FlowProvider) {
        let refreshToken = provider.kind == .github ? nil : tokens.refreshToken
        guard let text = refreshToken ?? tokens.accessToken, (1...Self.maximumSize).contains(text.utf8.count) else {
            return nil
        }
        self.init(text: text, isRefreshToken: refreshToken != nil, clientID: provider.clientID)
    }
}

/// The keys that seal tokens of providers in the store (`accounts.token_keys`). The first one seals, and each opens.
package struct TokenSealing: Sendable {
    /// The use of the keys. Another form of the content needs another label.
    private static let label = "gatehouse provider token, version 1"
    private static let limits = JSONLimits(size: 4 * GrantedToken.maximumSize, depth: 2, members: 8)

    private let keys: [SealingKey]

    /// Derives the keys. `nil` without secrets, and if libcrypto fails.
    package init?(_ secrets: [Secret]) {
        let keys = secrets.compactMap { secret in secret.withBytes { SealingKey(secret: $0, label: Self.label) } }
        guard !keys.isEmpty, keys.count == secrets.count else { return nil }
        self.keys = keys
    }

    /// Seals a token for an identity. `nil` if libcrypto fails, or if the text is too long.
    func seal(_ token: GrantedToken, of link: IdentityLink) -> KeptToken? {
        let content = ObjectText.object { content in
            content.add("client", token.clientID)
            content.add("refresh", token.isRefreshToken)
            content.add("token", token.text)
        }
        guard let sealed = keys.first?.seal(content, context: Self.context(link)) else { return nil }
        return KeptToken(isRefreshToken: token.isRefreshToken, sealed: Base64URL.encode(sealed))
    }

    /// Opens a kept token. `nil` unless it was sealed with one of the keys for this identity.
    func open(_ text: String, of link: IdentityLink) -> GrantedToken? {
        guard let sealed = KeptToken.sealed(in: text).flatMap({ Base64URL.decode($0) }) else { return nil }
        for key in keys {
            guard let content = key.open(sealed, context: Self.context(link)) else { continue }
            let root = (try? JSONDocument(content, limits: Self.limits))?.root
            guard let client = root?["client"]?.string, let token = root?["token"]?.string,
                let isRefreshToken = root?["refresh"]?.bool
            else { return nil }
            return GrantedToken(text: token, isRefreshToken: isRefreshToken, clientID: client)
        }
        return nil
    }

    private static func context(_ link: IdentityLink) -> [UInt8] { Array(link.name.utf8) }
}
