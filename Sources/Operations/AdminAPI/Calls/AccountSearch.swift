import PrintableText
package import Revocation

/// The name by which an account is searched.
package enum AccountSearch: Sendable, Equatable {
    /// A linked identity.
    case identity(IdentityLink)
    /// An e-mail address, in lower case.
    case email(String)

    /// Returns the text with small ASCII letters, the form in which stores have addresses.
    fileprivate static func lowerCase(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// The accounts that a call selects.
enum AccountSelection: Equatable {
    case search(AccountSearch)
    /// A part of the list of all accounts.
    case page(after: String?, limit: Int)

    /// The number of accounts of a part if the call has no `limit`.
    static let defaultLimit = 50

    /// Parses the query of a call: `provider` and `subject`, or `email`; otherwise `cursor` and `limit`.
    init(_ query: AdminQuery) throws(AdministrationError) {
        let values = try query.values(["provider", "subject", "email", "cursor", "limit"])
        let limit = try values.number("limit", in: 1...Int64(StoreBounds.maximumAccountPage))
        let cursor = values["cursor"]
        switch (values["provider"], values["subject"], values["email"], limit == nil && cursor == nil) {
        case (let provider?, let subject?, nil, true):
            self = .search(.identity(IdentityLink(provider: provider, subject: subject)))
        case (nil, nil, let email?, true): self = .search(.email(AccountSearch.lowerCase(email)))
        case (nil, nil, nil, _): self = .page(after: cursor, limit: limit.map { Int($0) } ?? Self.defaultLimit)
        default: throw .invalid("Send provider and subject, or email; or for the list of accounts limit and cursor.")
        }
    }

    /// The name of the call in the audit log.
    var event: String {
        switch self {
        case .search: "find_account"
        case .page: "list_accounts"
        }
    }

    /// The parameters for the audit log. Names of persons are masked.
    var maskedText: String {
        switch self {
        case .search(.identity(let link)): "provider=\(PrintableText.field(link.provider)) subject=*"
        case .search(.email): "email=*"
        case .page(nil, let limit): "limit=\(limit)"
        case .page(_, let limit): "limit=\(limit) cursor=*"
        }
    }
}
