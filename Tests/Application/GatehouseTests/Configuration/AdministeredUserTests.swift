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

    @Test func `with one project only a uid is accepted`() throws {
        for tenant in ["null", "acme-x1"] {
            let identity = try identity("firebase: { project: my-app, tenant: \(tenant) }")
            #expect(identity.flaw(of: user("ada")) == nil)
            #expect(try #require(identity.flaw(of: user("ada", "acme-x1"))).contains("omit the tenant"))
            #expect(try #require(identity.flaw(of: user("ada", nil, "my-app"))).contains("omit the project"))
        }
    }

    @Test func `with several tenants an accepted tenant is accepted`() throws {
        let any = try identity("firebase: { project: my-app, tenant: '*' }")
        #expect(any.flaw(of: user("ada", "acme-x1")) == nil && any.flaw(of: user("ada")) == nil)
        let list = try identity("firebase: { project: my-app, tenant: [acme-x1] }")
        #expect(list.flaw(of: user("ada", "acme-x1")) == nil)
        #expect(try #require(list.flaw(of: user("ada", "globex-y2"))).contains("check the tenant"))
    }

    @Test func `with several projects the project of a Firebase user is required`() throws {
        let identity = try identity(
            """
            firebase: { projects: [{ project: my-app }, { project: other-app, tenant: [acme-x1] }] },
            providers: { apple.com: { audiences: [a] } }
            """)
        #expect(identity.flaw(of: user("ada", nil, "my-app")) == nil)
        #expect(identity.flaw(of: user("ada", "acme-x1", "other-app")) == nil)
        #expect(try #require(identity.flaw(of: user("ada"))).contains("one of my-app, other-app"))
        #expect(try #require(identity.flaw(of: user("ada", "acme-x1"))).contains("name the project"))
        #expect(try #require(identity.flaw(of: user("ada", nil, "third"))).contains("one of my-app, other-app"))
        #expect(try #require(identity.flaw(of: user("ada", "acme-x1", "my-app"))).contains("does not accept"))
        // Users of a provider and accounts of the gateway have no project.
        #expect(identity.flaw(of: user("apple.com:1")) == nil)
        #expect(identity.flaw(of: user("0123456789abcdef0123456789abcdef")) == nil)
        #expect(identity.flaw(of: user("google.com:1")) != nil)
    }

    @Test func `changes are written back to the project and tenant of the user`() throws {
        let providers = "providers: { apple.com: { audiences: [a] } }"
        let one = try identity("firebase: { project: my-app, tenant: acme-x1 }, \(providers)")
        #expect(one.writeBackTarget(of: user("ada")) == WriteBackTarget(project: "my-app", tenant: "acme-x1"))
        #expect(one.writeBackTarget(of: user("apple.com:1")) == nil)
        #expect(one.writeBackTarget(of: user("ada", nil, "my-app")) == nil)
        let any = try identity("firebase: { project: my-app, tenant: '*' }, \(providers)")
        #expect(any.writeBackTarget(of: user("ada", "t")) == WriteBackTarget(project: "my-app", tenant: "t"))
        #expect(any.writeBackTarget(of: user("ada")) == WriteBackTarget(project: "my-app", tenant: nil))
        let several = try identity(
            "firebase: { projects: [{ project: my-app }, { project: other-app, tenant: [acme-x1] }] }, \(providers)")
        #expect(
            several.writeBackTarget(of: user("ada", "acme-x1", "other-app"))
                == WriteBackTarget(project: "other-app", tenant: "acme-x1"))
        // The key of an account that was linked with one project names the user of no project.
        for key in [user("ada"), user("apple.com:1"), user("ada", nil, "third"), user("ada", "acme-x1")] {
            #expect(several.writeBackTarget(of: key) == nil)
        }
    }
}
