import GatewayCore
import Redis
import Revocation

/// An entry of the stream of changes, which tells gateways whose record to read again.
///
/// What it says beside that is for other readers of the stream: who wants to know a record reads the record.
enum RedisChange {
    /// Tokens of before that time, in seconds, were revoked; nil: no longer.
    case validSince(uid: UserKey, UnixTime?)
    /// The user was disabled, or enabled.
    case disabled(uid: UserKey, Bool)
    /// A session was revoked, or signed in anew.
    case session(uid: UserKey, String)
    /// An identity belongs to a uid, or to nobody any more.
    case link(IdentityLink, uid: UserKey?)

    /// About how many entries the stream keeps. A gateway that was away for longer reads everything again.
    static let kept = 1_000_000

    /// The command that adds it.
    var command: RedisCommand {
        RedisCommand(
            ["XADD", RedisKeys.changes, "MAXLEN", "~", Self.kept, "*"] + fields.map { $0 as any RedisArgument })
    }

    private var fields: [String] {
        switch self {
        case .validSince(let user, let time): Self.names(user) + ["valid_since", time.map { "\($0)" } ?? ""]
        case .disabled(let user, let isDisabled): Self.names(user) + ["disabled", isDisabled ? "1" : "0"]
        case .session(let user, let session): Self.names(user) + ["session", session]
        case .link(let link, let user): ["link", link.name] + (user.map(Self.names) ?? ["uid", ""])
        }
    }

    private static func names(_ user: UserKey) -> [String] {
        ["uid", user.uid] + (user.tenant.map { ["tenant", $0] } ?? [])
    }
}
