import CivilCalendar
import GatewayCore
import JOSE
import Revocation
import TextCoding

/// The call that a path of the admin listener designates. Paths match exactly and are not normalised; only segments
/// with data are decoded.
enum AdminCall: Equatable, Sendable {
    case live, ready, metrics
    case user(UserKey)
    case activity(UserKey)
    case change(UserChange, UserKey)
    case sessions(UserKey)
    case session(UserKey, session: String)
    case revokeSession(UserKey, session: String)
    case findAccount(AdminQuery)
    case account(UserKey)
    case deleteAccount(UserKey)
    case unlink(UserKey, provider: String)
    case merge(UserKey, target: UserKey)
    case status, keys, refreshKeys, routes, reload, acceptStore
    case outbox, retryOutbox, discardOutbox
    case configuration, fleet, rules, evaluateRules, reloadDifferences
    case history(AdminQuery)
    case decisions(AdminQuery)

    /// The changes of a user.
    enum UserChange: Sendable {
        case revoke, unrevoke, disable, enable
    }

    /// The maximum size of a uid or session, in bytes. A uid has at most 128 characters, possibly with a provider
    /// prefix.
    static let longestName = 1024

    /// Creates the call of a path. Calls without parameters ignore the query. `nil` if the path does not exist.
    init?(target: String) {
        let path = target.prefix { $0 != "?" }
        guard path.first == "/" else { return nil }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for path in AdminPath.allCases {
            guard let data = path.data(in: segments) else { continue }
            self.init(path, data, AdminQuery(target: target))
            return
        }
        return nil
    }

    private init(_ path: AdminPath, _ data: AdminPath.SegmentData, _ query: AdminQuery) {
        let (user, session) = (data.user, data.session)
        switch path {
        case .live: self = .live
        case .ready: self = .ready
        case .metrics: self = .metrics
        case .status: self = .status
        case .keys: self = .keys
        case .refreshKeys: self = .refreshKeys
        case .routes: self = .routes
        case .configuration: self = .configuration
        case .fleet: self = .fleet
        case .rules: self = .rules
        case .evaluateRules: self = .evaluateRules
        case .history: self = .history(query)
        case .decisions: self = .decisions(query)
        case .reload: self = .reload
        case .reloadDifferences: self = .reloadDifferences
        case .acceptStore: self = .acceptStore
        case .outbox: self = .outbox
        case .retryOutbox: self = .retryOutbox
        case .discardOutbox: self = .discardOutbox
        case .findAccount: self = .findAccount(query)
        case .account, .tenantAccount, .projectAccount, .projectTenantAccount: self = .account(user)
        case .deleteAccount, .tenantDeleteAccount, .projectDeleteAccount, .projectTenantDeleteAccount:
            self = .deleteAccount(user)
        case .unlinkAccount, .tenantUnlinkAccount, .projectUnlinkAccount, .projectTenantUnlinkAccount:
            self = .unlink(user, provider: data.provider)
        case .mergeAccount, .tenantMergeAccount, .projectMergeAccount, .projectTenantMergeAccount:
            self = .merge(user, target: UserKey(uid: data.target, tenant: nil))
        case .user, .tenantUser, .projectUser, .projectTenantUser: self = .user(user)
        case .activity, .tenantActivity, .projectActivity, .projectTenantActivity: self = .activity(user)
        case .revoke, .tenantRevoke, .projectRevoke, .projectTenantRevoke: self = .change(.revoke, user)
        case .unrevoke, .tenantUnrevoke, .projectUnrevoke, .projectTenantUnrevoke: self = .change(.unrevoke, user)
        case .disable, .tenantDisable, .projectDisable, .projectTenantDisable: self = .change(.disable, user)
        case .enable, .tenantEnable, .projectEnable, .projectTenantEnable: self = .change(.enable, user)
        case .sessions, .tenantSessions, .projectSessions, .projectTenantSessions: self = .sessions(user)
        case .session, .tenantSession, .projectSession, .projectTenantSession: self = .session(user, session: session)
        case .revokeSession, .tenantRevokeSession, .projectRevokeSession, .projectTenantRevokeSession:
            self = .revokeSession(user, session: session)
        }
    }

    /// Returns a segment's text after decoding its escapes once. `nil` if it is empty, too long, incorrectly escaped,
    /// not UTF-8, or contains NUL.
    static func decoded(_ segment: Substring) -> String? {
        guard let bytes = PercentEncoding.decoded(segment.utf8), (1...longestName).contains(bytes.count),
            !bytes.contains(0)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether the call requires no token.
    var isPublic: Bool {
        switch self {
        case .live, .ready, .metrics: true
        default: false
        }
    }

    /// The accepted methods, for `Allow`.
    var methods: [String] {
        switch self {
        // The stream begins with the response.
        case .decisions: ["GET"]
        case .live, .ready, .metrics, .status, .user, .activity, .sessions, .session, .findAccount, .account, .keys,
            .routes, .outbox, .configuration, .history, .fleet, .rules, .reloadDifferences:
            ["GET", "HEAD"]
        case .change, .revokeSession, .deleteAccount, .unlink, .merge, .refreshKeys, .reload, .acceptStore,
            .retryOutbox, .discardOutbox, .evaluateRules:
            ["POST"]
        }
    }
}

/// The body of a revocation: empty, or `{"at": SECONDS}`, or `{"at": "RFC 3339"}`.
enum RevocationTime {
    /// Parses the time. `nil` for now: an empty body, or one without `at`.
    static func parse(_ body: [UInt8]) throws(AdministrationError) -> UnixTime? {
        if body.isEmpty { return nil }
        guard let document = try? JSONDocument(body, limits: JSONLimits(size: 1024, depth: 2, members: 4)),
            document.root.kind == .object
        else {
            throw .invalid(
                "The body is not a JSON object. Send {\"at\": SECONDS or \"RFC 3339\"}, or no body for the current time."
            )
        }
        for (name, _) in document.root.members where name != "at" {
            throw .invalid("The body has an unknown member. Only \"at\" is accepted.")
        }
        guard let value = document.root["at"] else { return nil }
        guard let at = value.integer ?? value.string.flatMap(RFC3339.seconds), let time = UnixTime(at) else {
            throw .invalid(
                "\"at\" is not a time. Send whole seconds since 1970, or a string such as 2026-01-31T09:00:00Z.")
        }
        return time
    }
}
