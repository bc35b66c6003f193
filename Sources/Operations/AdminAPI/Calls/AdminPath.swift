import Revocation

/// The paths of the admin listener, as in the OpenAPI document. A segment in braces has data.
enum AdminPath: String, CaseIterable, Sendable {
    case live = "/livez"
    case ready = "/readyz"
    case metrics = "/metrics"
    case status = "/v1/status"
    case keys = "/v1/keys"
    case refreshKeys = "/v1/keys/refresh"
    case routes = "/v1/routes"
    case configuration = "/v1/configuration"
    case rules = "/v1/rules"
    case evaluateRules = "/v1/rules/evaluate"
    case history = "/v1/history"
    case decisions = "/v1/decisions"
    case fleet = "/v1/fleet"
    case reload = "/v1/reload"
    case reloadDifferences = "/v1/reload/diff"
    case acceptStore = "/v1/store/accept"
    case outbox = "/v1/outbox"
    case retryOutbox = "/v1/outbox/retry"
    case discardOutbox = "/v1/outbox/discard"
    case user = "/v1/users/{uid}"
    case revoke = "/v1/users/{uid}/revoke"
    case unrevoke = "/v1/users/{uid}/unrevoke"
    case disable = "/v1/users/{uid}/disable"
    case enable = "/v1/users/{uid}/enable"
    case activity = "/v1/users/{uid}/activity"
    case sessions = "/v1/users/{uid}/sessions"
    case session = "/v1/users/{uid}/sessions/{session}"
    case revokeSession = "/v1/users/{uid}/sessions/{session}/revoke"
    case findAccount = "/v1/accounts"
    case account = "/v1/accounts/{uid}"
    case deleteAccount = "/v1/accounts/{uid}/delete"
    case unlinkAccount = "/v1/accounts/{uid}/links/{provider}/unlink"
    case mergeAccount = "/v1/accounts/{uid}/merge/{target}"
    case tenantUser = "/v1/tenants/{tenant}/users/{uid}"
    case tenantRevoke = "/v1/tenants/{tenant}/users/{uid}/revoke"
    case tenantUnrevoke = "/v1/tenants/{tenant}/users/{uid}/unrevoke"
    case tenantDisable = "/v1/tenants/{tenant}/users/{uid}/disable"
    case tenantEnable = "/v1/tenants/{tenant}/users/{uid}/enable"
    case tenantActivity = "/v1/tenants/{tenant}/users/{uid}/activity"
    case tenantSessions = "/v1/tenants/{tenant}/users/{uid}/sessions"
    case tenantSession = "/v1/tenants/{tenant}/users/{uid}/sessions/{session}"
    case tenantRevokeSession = "/v1/tenants/{tenant}/users/{uid}/sessions/{session}/revoke"
    case projectUser = "/v1/projects/{project}/users/{uid}"
    case projectRevoke = "/v1/projects/{project}/users/{uid}/revoke"
    case projectUnrevoke = "/v1/projects/{project}/users/{uid}/unrevoke"
    case projectDisable = "/v1/projects/{project}/users/{uid}/disable"
    case projectEnable = "/v1/projects/{project}/users/{uid}/enable"
    case projectActivity = "/v1/projects/{project}/users/{uid}/activity"
    case projectSessions = "/v1/projects/{project}/users/{uid}/sessions"
    case projectSession = "/v1/projects/{project}/users/{uid}/sessions/{session}"
    case projectRevokeSession = "/v1/projects/{project}/users/{uid}/sessions/{session}/revoke"
    case tenantAccount = "/v1/tenants/{tenant}/accounts/{uid}"
    case tenantDeleteAccount = "/v1/tenants/{tenant}/accounts/{uid}/delete"
    case tenantUnlinkAccount = "/v1/tenants/{tenant}/accounts/{uid}/links/{provider}/unlink"
    case tenantMergeAccount = "/v1/tenants/{tenant}/accounts/{uid}/merge/{target}"
    case projectAccount = "/v1/projects/{project}/accounts/{uid}"
    case projectDeleteAccount = "/v1/projects/{project}/accounts/{uid}/delete"
    case projectUnlinkAccount = "/v1/projects/{project}/accounts/{uid}/links/{provider}/unlink"
    case projectMergeAccount = "/v1/projects/{project}/accounts/{uid}/merge/{target}"
    case projectTenantAccount = "/v1/projects/{project}/tenants/{tenant}/accounts/{uid}"
    case projectTenantDeleteAccount = "/v1/projects/{project}/tenants/{tenant}/accounts/{uid}/delete"
    case projectTenantUnlinkAccount = "/v1/projects/{project}/tenants/{tenant}/accounts/{uid}/links/{provider}/unlink"
    case projectTenantMergeAccount = "/v1/projects/{project}/tenants/{tenant}/accounts/{uid}/merge/{target}"
    case projectTenantUser = "/v1/projects/{project}/tenants/{tenant}/users/{uid}"
    case projectTenantRevoke = "/v1/projects/{project}/tenants/{tenant}/users/{uid}/revoke"
    case projectTenantUnrevoke = "/v1/projects/{project}/tenants/{tenant}/users/{uid}/unrevoke"
    case projectTenantDisable = "/v1/projects/{project}/tenants/{tenant}/users/{uid}/disable"
    case projectTenantEnable = "/v1/projects/{project}/tenants/{tenant}/users/{uid}/enable"
    case projectTenantActivity = "/v1/projects/{project}/tenants/{tenant}/users/{uid}/activity"
    case projectTenantSessions = "/v1/projects/{project}/tenants/{tenant}/users/{uid}/sessions"
    case projectTenantSession = "/v1/projects/{project}/tenants/{tenant}/users/{uid}/sessions/{session}"
    case projectTenantRevokeSession = "/v1/projects/{project}/tenants/{tenant}/users/{uid}/sessions/{session}/revoke"

    /// The decoded segments with data. Empty where the path has no such segment.
    struct SegmentData {
        fileprivate(set) var uid = ""
        fileprivate(set) var tenant: String?
        fileprivate(set) var project: String?
        fileprivate(set) var session = ""
        fileprivate(set) var provider = ""
        fileprivate(set) var target = ""

        var user: UserKey { UserKey(uid: uid, tenant: tenant, project: project) }
    }

    /// Returns the data of a request's path. `nil` if it is another path, or a segment cannot be decoded.
    func data(in segments: [Substring]) -> SegmentData? {
        let names = rawValue.dropFirst().split(separator: "/")
        guard names.count == segments.count else { return nil }
        var data = SegmentData()
        for (name, segment) in zip(names, segments) {
            guard name.first == "{" else {
                guard name.utf8.elementsEqual(segment.utf8) else { return nil }
                continue
            }
            guard let text = AdminCall.decoded(segment) else { return nil }
            switch name {
            case "{tenant}": data.tenant = text
            case "{project}": data.project = text
            case "{session}": data.session = text
            case "{provider}": data.provider = text
            case "{target}": data.target = text
            default: data.uid = text
            }
        }
        return data
    }
}
