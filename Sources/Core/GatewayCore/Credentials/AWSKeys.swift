import TextCoding

/// The access key of an identity at AWS.
package struct AWSKeys: Sendable {
    /// The permitted sizes of an identifier, and the maximum sizes of a secret and a token, in bytes.
    private static let idSizes = 1...128
    private static let secretLimit = 256
    private static let tokenLimit = 8 << 10

    package let id: String
    package let secret: Secret
    /// The token of temporary credentials. `nil` for permanent ones.
    package let sessionToken: String?
    /// The time at which temporary credentials expire. `nil` if it is unknown, and for permanent ones.
    package var expires: UnixTime?

    /// Creates keys. `nil` if a text cannot be part of a signed request.
    package init?(id: String, secret: String, sessionToken: String?) {
        let isVisible = { (text: String) in text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
        guard Self.idSizes.contains(id.utf8.count), id.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) }),
            (1...Self.secretLimit).contains(secret.utf8.count), isVisible(secret)
        else { return nil }
        if let sessionToken {
            guard (1...Self.tokenLimit).contains(sessionToken.utf8.count), isVisible(sessionToken) else { return nil }
        }
        (self.id, self.secret, self.sessionToken) = (id, Secret(secret), sessionToken)
    }
}
