import DevelopmentIdentity

/// One token of one account.
struct RevocationCase: Sendable, CustomStringConvertible {
    /// The state of an account at Identity Toolkit.
    enum Account: Sendable, Hashable, CaseIterable {
        case neverRevoked, revokedLongAgo, revokedBetween, revokedAtSignIn, revokedAtIssue, revokedNow
        case disabled, disabledAndRevoked, enabledAgain, deleted

        /// `nil` if there is no such account.
        func record(of user: DevelopmentUser, now: Int64) -> DevelopmentAccount? {
            switch self {
            // The SDK needs the member, which accounts made by Firebase have.
            case .neverRevoked: DevelopmentAccount(user, validSince: 0)
            case .revokedLongAgo: DevelopmentAccount(user, validSince: now - 100_000)
            // Between a sign-in an hour ago and a token of a minute ago.
            case .revokedBetween: DevelopmentAccount(user, validSince: now - 1800)
            case .revokedAtSignIn: DevelopmentAccount(user, validSince: now - 3600)
            case .revokedAtIssue: DevelopmentAccount(user, validSince: now - 60)
            case .revokedNow: DevelopmentAccount(user, validSince: now)
            case .disabled: DevelopmentAccount(user, isDisabled: true)
            case .disabledAndRevoked: DevelopmentAccount(user, validSince: now, isDisabled: true)
            case .enabledAgain: DevelopmentAccount(user, validSince: now - 100_000, isDisabled: false)
            case .deleted: nil
            }
        }
    }

    /// When the user signed in, and when the token was issued, in seconds before now.
    struct Token: Sendable, Hashable {
        let signedIn: Int64
        let issued: Int64

        static let all = [
            Token(signedIn: 60, issued: 60), Token(signedIn: 3600, issued: 60), Token(signedIn: 3600, issued: 3600),
            Token(signedIn: 200_000, issued: 60), Token(signedIn: 3601, issued: 61),
            Token(signedIn: 1800, issued: 1800), Token(signedIn: 61, issued: 59),
        ]
    }

    let account: Account
    let token: Token

    static let all = Account.allCases.flatMap { account in Token.all.map { RevocationCase(account: account, token: $0) }
    }

    var uid: String { "\(account)-\(token.signedIn)-\(token.issued)" }
    var description: String { uid }

    /// Whether the account was revoked after this sign-in and before the token was issued. The SDK compares `iat`.
    /// Gatehouse compares the sign-in, as the Admin SDK for Node does: a refreshed token is as old as its sign-in.
    var wasRefreshedAfterRevocation: Bool {
        guard let since = account.record(of: DevelopmentUser(uid: uid), now: 0)?.validSince else { return false }
        return -token.signedIn < since && -token.issued >= since
    }
}
