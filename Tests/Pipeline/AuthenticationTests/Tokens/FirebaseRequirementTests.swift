import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

/// The project and tenant that a route requires.
@Suite struct FirebaseRequirementTests {
    private static func requirement(
        _ projects: [String] = [], _ tenants: Configuration.FirebaseRestriction.Tenants = .unrestricted
    ) -> FirebaseRequirement {
        var restriction = Configuration.FirebaseRestriction()
        restriction.projects = projects
        restriction.tenants = tenants
        return FirebaseRequirement(restriction)
    }

    private func principal(tenant: String?, isNamed: Bool) throws -> Principal {
        let member = tenant.map { #"{"tenant":"\#($0)"}"# } ?? "{}"
        return try TokenDraft.idToken().with("firebase", member).principal(isNamed: isNamed)
    }

    @Test(arguments: [true, false])
    func `a credential of another project or tenant does not meet a requirement`(isNamed: Bool) throws {
        let acme = try principal(tenant: "acme-x1", isNamed: isNamed)
        let none = try principal(tenant: nil, isNamed: isNamed)
        let mine = TokenDraft.project
        let wrongProject = VerificationFailure(code: .invalidIDToken, reason: .routeProject)
        let wrongTenant = VerificationFailure(code: .tenantMismatch, reason: .routeTenant)
        for (requirement, ofAcme, ofNone) in [
            (Self.requirement([mine]), nil, nil), (Self.requirement(["b", mine]), nil, nil),
            (Self.requirement(["b"]), wrongProject, wrongProject),
            (Self.requirement([mine], .absent), wrongTenant, nil), (Self.requirement([], .present), nil, wrongTenant),
            (Self.requirement([], .anyOf(["b", "acme-x1"])), nil, wrongTenant),
            (Self.requirement([], .anyOf(["acme-x"])), wrongTenant, wrongTenant),
            (Self.requirement(["b"], .anyOf(["acme-x1"])), wrongProject, wrongProject),
        ] as [(FirebaseRequirement, VerificationFailure?, VerificationFailure?)] {
            #expect(requirement.failure(of: acme) == ofAcme)
            #expect(requirement.failure(of: none) == ofNone)
        }
    }

    @Test func `a token of a provider belongs to no project and no tenant`() throws {
        let identity = try ProviderIdentity.made()
        let principal = try #require(Principal(identity, hasher: try SHA256Hasher.required()))
        for requirement in [Self.requirement([TokenDraft.project]), Self.requirement([], .absent)] {
            #expect(requirement.failure(of: principal)?.reason == .routeProject)
        }
    }
}
