import CivilCalendar
import GatewayCore
import JOSE
import Revocation
import TextCoding

/// What a path of the admin listener stands for. Paths match exactly: nothing is normalised, and only the parts that are data are decoded.
enum AdminCall: Equatable, Sendable {
    case live, ready, metrics
    case user(UserKey)
    case change(UserChange, UserKey)
    case session(UserKey, session: String)
    case revokeSession(UserKey, session: String)
    case keys, refreshKeys, routes, reload, acceptStore

    /// What may be done to a user.
    enum UserChange: String, Sendable {
        case revoke, unrevoke, disable, enable
    }

    /// The longest uid or session in bytes: a uid has at most 128 characters, and a provider's name may stand before it.
    static let longestName = 1024

    /// Nil when no call has that path. A query is ignored.
    init?(target: String) {
        let path = target.prefix { $0 != "?" }
        guard path.first == "/" else { return nil }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        switch segments.count {
        case 1: self.init(health: segments[0])
        case 2...8: self.init(versioned: segments)
        default: return nil
        }
    }

    private init?(health segment: Substring) {
        switch segment {
        case "livez": self = .live
        case "readyz": self = .ready
        case "metrics": self = .metrics
        default: return nil
        }
    }

    private init?(versioned segments: [Substring]) {
        guard segments[0] == "v1" else { return nil }
        switch (segments[1], segments.count) {
        case ("keys", 2): self = .keys
        case ("keys", 3) where segments[2] == "refresh": self = .refreshKeys
        case ("routes", 2): self = .routes
        case ("reload", 2): self = .reload
        case ("store", 3) where segments[2] == "accept": self = .acceptStore
        case ("users", 3...6): self.init(user: segments[2...], tenant: nil)
        case ("tenants", 5...8) where segments[3] == "users":
            guard let tenant = Self.decoded(segments[2]) else { return nil }
            self.init(user: segments[4...], tenant: tenant)
        default: return nil
        }
    }

    /// - Parameter segments: the uid, and what follows it.
    private init?(user segments: ArraySlice<Substring>, tenant: String?) {
        guard let uid = segments.first.flatMap(Self.decoded) else { return nil }
        let user = UserKey(uid: uid, tenant: tenant)
        let rest = Array(segments.dropFirst())
        switch rest.count {
        case 0: self = .user(user)
        case 1:
            guard let change = UserChange(rawValue: String(rest[0])) else { return nil }
            self = .change(change, user)
        case 2...3:
            guard rest[0] == "sessions", let session = Self.decoded(rest[1]) else { return nil }
            if rest.count == 2 {
                self = .session(user, session: session)
            } else if rest[2] == "revoke" {
                self = .revokeSession(user, session: session)
            } else {
                return nil
            }
        default: return nil
        }
    }

    /// A segment's text, its escapes decoded once; nil when it is empty, too long, wrongly escaped, not UTF-8 or has a NUL.
    static func decoded(_ segment: Substring) -> String? {
        guard let bytes = PercentEncoding.decoded(segment.utf8), (1...longestName).contains(bytes.count),
            !bytes.contains(0)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether no token is asked for.
    var isPublic: Bool {
        switch self {
        case .live, .ready, .metrics: true
        default: false
        }
    }

    /// The methods that make the call, as `Allow` tells them.
    var methods: [String] {
        switch self {
        case .live, .ready, .metrics, .user, .session, .keys, .routes: ["GET", "HEAD"]
        case .change, .revokeSession, .refreshKeys, .reload, .acceptStore: ["POST"]
        }
    }
}

/// The body of a revocation: nothing, or `{"at": SECONDS}`, or `{"at": "RFC 3339"}`.
enum RevocationTime {
    /// Nil for "now": no body, or none of `at`.
    static func parse(_ body: [UInt8]) throws(AdministrationError) -> UnixTime? {
        if body.isEmpty { return nil }
        guard let document = try? JSONDocument(body, limits: JSONLimits(size: 1024, depth: 2, members: 4)),
            document.root.kind == .object
        else {
            throw .invalid("The body is no JSON object. Send {\"at\": SECONDS or \"RFC 3339\"}, or no body for now.")
        }
        for (name, _) in document.root.members where name != "at" {
            throw .invalid("The body has a member that is not known; only \"at\" is.")
        }
        guard let value = document.root["at"] else { return nil }
        guard let at = value.integer ?? value.string.flatMap(RFC3339.seconds), let time = UnixTime(at) else {
            throw .invalid("\"at\" is no time. Send whole seconds since 1970, or a text such as 2026-01-31T09:00:00Z.")
        }
        return time
    }
}
