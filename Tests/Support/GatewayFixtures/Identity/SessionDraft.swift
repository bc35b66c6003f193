import Accounts
import JOSE

@testable import CoreFixtures

/// Session cookies in the format of the gateway's issuer, and the keys that sign them.
enum SessionDraft {
    static let issuer = "https://api.example.com"
    static let key = TokenDraft.makeKey("session-1", .es256)
    static let previousKey = TokenDraft.makeKey("session-0", .es256)
    /// An unknown key with the ID of a known key.
    static let forgedKey = TokenDraft.makeKey("session-1", .es256)
    static func keys() throws -> SessionKeys { try SessionKeys(issuer: issuer, current: key, previous: [previousKey]) }
    static let session = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

    /// A session of `user-1`, who signed in with Apple 100 seconds ago.
    static func cookie(now: Int64 = ManualClock.start) -> TokenDraft {
        var draft = TokenDraft(claims: [
            "iss": "\"\(issuer)\"", "aud": "\"\(issuer)\"", "sub": "\"user-1\"", "user_id": "\"user-1\"",
            "sid": "\"\(session)\"", "iat": "\(now - 50)", "auth_time": "\(now - 100)", "exp": "\(now + 86_400)",
            "email": "\"a@example.com\"", "email_verified": "true",
            "firebase": #"{"identities":{"apple.com":["1"]},"sign_in_provider":"apple.com"}"#,
        ])
        draft.header = [
            "alg": "\"ES256\"", "kid": "\"session-1\"", "typ": "\"gatehouse-session+jwt\"", "src": source(now: now),
        ]
        return draft
    }

    /// The origin of a session at `now - 100`: an ID token of the Firebase project, as JSON text.
    static func source(now: Int64 = ManualClock.start, more: String = "") -> String {
        #"{"project":"\#(TokenDraft.project)","started":\#(now - 100)\#(more)}"#
    }

    static func signed(_ change: (TokenDraft) -> TokenDraft = { $0 }) -> String { change(cookie()).signed(by: key) }
}
