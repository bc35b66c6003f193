package import JOSE

/// A name under which Firebase lists an account: an identity at a provider, or a verified address.
package enum FirebaseName: Sendable, Hashable {
    /// An entry of `providerUserInfo`: `providerId` and `rawId`.
    case identity(provider: String, id: String)
    /// `email`, with ASCII letters in lower case, while `emailVerified` is true.
    case email(String)

    /// The provider or nothing, U+001F, and the id or the address. No part has control characters.
    package var text: String {
        switch self {
        case .identity(let provider, let id): "\(provider)\u{1F}\(id)"
        case .email(let address): "\u{1F}\(address)"
        }
    }

    package static func == (one: FirebaseName, other: FirebaseName) -> Bool { one.text.isExactly(other.text) }

    /// Hashes the bytes of the text.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The reason for a link that a gateway made from a Firebase account.
///
/// The link is valid only while the account lists this name. Its uid and tenant are those of the link's user.
package struct FirebaseEvidence: Sendable, Hashable {
    /// The id of the Firebase project.
    package let project: String
    package let name: FirebaseName

    package init(project: String, name: FirebaseName) {
        self.project = project
        self.name = name
    }

    /// The text in the store and in session cookies: the project, U+001F, and the text of the name.
    package var text: String { "\(project)\u{1F}\(name.text)" }

    /// Parses the text. `nil` for any other.
    package init?(text: String) {
        let parts = text.utf8.split(separator: UserKey.separator, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 3, !parts[0].isEmpty, !parts[2].isEmpty else { return nil }
        project = parts[0]
        name = parts[1].isEmpty ? .email(parts[2]) : .identity(provider: parts[1], id: parts[2])
        guard StoreBounds.isPrintable(parts.joined()) else { return nil }
    }

    /// Returns the key by which the listed names of an account are compared. `nil` if libcrypto fails.
    package func key(hasher: SHA256Hasher) -> StoreKey? {
        StoreKey(UserKey(uid: text, tenant: nil), hasher: hasher)
    }
}
