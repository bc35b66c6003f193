package import Revocation

/// The name by which an account is searched.
package enum AccountSearch: Sendable, Equatable {
    /// A linked identity.
    case identity(IdentityLink)
    /// An e-mail address, in lower case.
    case email(String)

    /// Parses the query of a call: `provider` and `subject`, or `email`.
    init(_ query: AdminQuery) throws(AdministrationError) {
        let values = try query.values(["provider", "subject", "email"])
        switch (values["provider"], values["subject"], values["email"]) {
        case (let provider?, let subject?, nil):
            self = .identity(IdentityLink(provider: provider, subject: subject))
        case (nil, nil, let email?): self = .email(Self.lowerCase(email))
        default: throw .invalid("Send provider and subject, or email.")
        }
    }

    /// Returns the text with small ASCII letters, the form in which stores have addresses.
    private static func lowerCase(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
