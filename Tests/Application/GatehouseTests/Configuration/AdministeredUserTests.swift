import GatewayConfiguration
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse

/// User keys that an operator names.
@Suite struct AdministeredUserTests {
    private func identity(_ yaml: String) throws -> Configuration.Identity {
        try ConfigurationTesting.load(section: "identity: { \(yaml) }").identity
    }

    private func user(_ uid: String, _ tenant: String? = nil, _ project: String? = nil) -> UserKey {
        UserKey(uid: uid, tenant: tenant, project: project)
    }

    @Test func `with one project only a uid is accepted, with or without that project`() throws {
        for tenant in ["null", "acme-x1"] {
            let identity = try identity("firebase: { project: my-app, tenant: \(tenant) }")
            #expect(identity.flaw(of: user("ada")) == nil)
            #expect(identity.key(of: user("ada", nil, "my-app")) == user("ada"))
            #expect(try #require(identity.flaw(of: user("ada", "acme-x1"))).contains("omit the tenant"))
            #expect(try #require(identity.flaw(of: user("ada", nil, "other"))).contains("name one of my-app"))
        }
        let none = try identity("providers: { apple.com: { audiences: [a] } }")
        #expect(none.flaw(of: user("ada", nil, "my-app")) != nil && none.key(of: user("ada")) == user("ada"))
    }

    @Test func `with several tenants an accepted tenant is accepted`() throws {
        let any = try identity("firebase: { project: my-app, tenant: '*' }")
        #expect(any.flaw(of: user("ada", "acme-x1")) == nil && any.flaw(of: user("ada")) == nil)
        let list = try identity("firebase: { project: my-app, tenant: [acme-x1] }")
        #expect(list.flaw(of: user("ada", "acme-x1")) == nil)
        #expect(try #require(list.flaw(of: user("ada", "globex-y2"))).contains("check the tenant"))
    }

    @Test func `with several projects a name without a project is the first project's user`() throws {
        let identity = try identity(
            """
            firebase: { projects: [{ project: my-app }, { project: other-app, tenant: [acme-x1] }] },
            providers: { apple.com: { audiences: [a] } }
            """)
        #expect(identity.key(of: user("ada", nil, "my-app")) == user("ada"))
        #expect(identity.key(of: user("ada", nil, "other-app")) == user("ada", nil, "other-app"))
        #expect(identity.flaw(of: user("ada")) == nil)
        #expect(identity.flaw(of: user("ada", "acme-x1", "other-app")) == nil)
        #expect(try #require(identity.flaw(of: user("ada", nil, "third"))).contains("one of my-app, other-app"))
        #expect(try #require(identity.flaw(of: user("ada", "acme-x1"))).contains("omit the tenant"))
        #expect(try #require(identity.flaw(of: user("ada", "t", "other-app"))).contains("does not accept"))
    }

    @Test func `changes are written back to the project and tenant of the user`() throws {
        let providers = "providers: { apple.com: { audiences: [a] } }"
        let one = try identity("firebase: { project: my-app, tenant: acme-x1 }, \(providers)")
        #expect(one.writeBackTarget(of: user("ada")) == WriteBackTarget(project: "my-app", tenant: "acme-x1"))
        #expect(one.writeBackTarget(of: user("apple.com:1")) == nil)
        #expect(one.writeBackTarget(of: user("ada", nil, "third")) == nil)
        let any = try identity("firebase: { project: my-app, tenant: '*' }, \(providers)")
        #expect(any.writeBackTarget(of: user("ada", "t")) == WriteBackTarget(project: "my-app", tenant: "t"))
        #expect(any.writeBackTarget(of: user("ada")) == WriteBackTarget(project: "my-app", tenant: nil))
        let several = try identity(
            "firebase: { projects: [{ project: my-app }, { project: other-app, tenant: [acme-x1] }] }, \(providers)")
        #expect(
            several.writeBackTarget(of: user("ada", "acme-x1", "other-app"))
                == WriteBackTarget(project: "other-app", tenant: "acme-x1"))
        #expect(several.writeBackTarget(of: user("ada")) == WriteBackTarget(project: "my-app", tenant: nil))
        for key in [user("apple.com:1"), user("ada", nil, "third")] {
            #expect(several.writeBackTarget(of: key) == nil)
        }
    }
}
