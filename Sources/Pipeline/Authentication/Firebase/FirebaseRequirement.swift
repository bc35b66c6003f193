package import GatewayConfiguration
import GatewayCore
import JOSE

/// The Firebase project and tenant that a route or a host requires of a credential.
package struct FirebaseRequirement: Sendable, Equatable {
    private let restriction: Configuration.FirebaseRestriction

    package init(_ restriction: Configuration.FirebaseRestriction) {
        self.restriction = restriction
    }

    /// Returns the failure of a credential that does not meet the requirement. `nil` if it does.
    ///
    /// A provider's own token, and a session that such a token started, belong to no project and no tenant. They meet
    /// no requirement.
    package func failure(of principal: Principal) -> VerificationFailure? {
        guard let membership = FirebaseMembership(principal), isMet(by: membership.isOfProject) else {
            return VerificationFailure(code: principal.kind.invalidCode, reason: .routeProject)
        }
        let isMet =
            switch restriction.tenants {
            case .unrestricted: true
            case .absent: !membership.hasTenant
            case .present: membership.hasTenant
            case .anyOf(let ids): ids.contains(where: membership.isOfTenant)
            }
        return isMet ? nil : VerificationFailure(code: .tenantMismatch, reason: .routeTenant)
    }

    private func isMet(by isOfProject: (String) -> Bool) -> Bool {
        restriction.projects.isEmpty || restriction.projects.contains(where: isOfProject)
    }
}

/// The project and the tenant of a verified Firebase credential, or of a session that one started.
private enum FirebaseMembership {
    case token(JSONValue)
    case session(project: String, tenant: String?)

    /// `nil` for any other credential.
    init?(_ principal: Principal) {
        switch principal.origin?.source {
        case .firebase(let project, let tenant): self = .session(project: project, tenant: tenant)
        case .provider: return nil
        case nil:
            guard principal.facts.isFirebase, principal.link == nil else { return nil }
            self = .token(principal.claims.root)
        }
    }

    func isOfProject(_ id: String) -> Bool {
        switch self {
        case .token(let claims): claims["aud"]?.equals(id) ?? false
        case .session(let project, _): project.utf8.elementsEqual(id.utf8)
        }
    }

    var hasTenant: Bool {
        switch self {
        case .token(let claims): claims["firebase"]?["tenant"] != nil
        case .session(_, let tenant): tenant != nil
        }
    }

    func isOfTenant(_ id: String) -> Bool {
        switch self {
        case .token(let claims): claims["firebase"]?["tenant"]?.equals(id) ?? false
        case .session(_, let tenant): tenant.map { $0.utf8.elementsEqual(id.utf8) } ?? false
        }
    }
}
