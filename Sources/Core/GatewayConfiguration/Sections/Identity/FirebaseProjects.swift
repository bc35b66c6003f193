import GatewayCore

extension Configuration {
    /// A Firebase project whose tokens are accepted (`identity.firebase.projects[]`, or `identity.firebase` itself).
    package struct FirebaseProject: Sendable, Hashable {
        /// The project's id (`project`), which is the audience of all its tokens.
        package var id: String
        /// The accepted tenants (`tenant`). Default: only tokens without a tenant.
        package var tenant = TenantPolicy.none
        /// The file with the gateway's credential at Google for this project (`service_account`). `nil` for that of
        /// `revocation`, or the default credentials.
        package var serviceAccount: String?

        /// Creates a project of which only tokens without a tenant are accepted.
        package init(id: String) {
            self.id = id
        }

        /// The exact `iss` of ID tokens.
        package var issuer: String { "https://securetoken.google.com/\(id)" }
        /// The exact `iss` of session cookies.
        package var sessionIssuer: String { "https://session.firebase.google.com/\(id)" }
    }

    /// The accepted tenants.
    package enum TenantPolicy: Sendable, Hashable {
        /// Only tokens without a tenant.
        case none
        /// Only tokens of this tenant.
        case only(String)
        /// Only tokens of these tenants.
        case anyOf([String])
        /// Tokens of any tenant, and tokens without a tenant.
        case any

        /// The single tenant. `nil` otherwise.
        package var id: String? {
            guard case .only(let id) = self else { return nil }
            return id
        }

        /// Whether tokens of several tenants are accepted, so that names of users include the tenant.
        package var isSeveral: Bool {
            switch self {
            case .none, .only: false
            case .anyOf, .any: true
            }
        }

        /// Returns whether tokens of a tenant are accepted, or tokens without one.
        package func accepts(_ tenant: String?) -> Bool {
            switch self {
            case .none: tenant == nil
            case .only(let id): tenant.map { $0.utf8.elementsEqual(id.utf8) } ?? false
            case .anyOf(let ids): tenant.map { tenant in ids.contains { tenant.utf8.elementsEqual($0.utf8) } } ?? false
            case .any: true
            }
        }
    }
}

extension Configuration.Firebase {
    /// The maximum number of projects, and of tenants in a list.
    static let maximumProjects = 32
    static let maximumTenants = 256

    /// The projects whose tokens are accepted, in the order of the file. The first one is that of `app_check` and
    /// `auth_helper`, and of users whose names have no project.
    package var projects: [Configuration.FirebaseProject] {
        var first = Configuration.FirebaseProject(id: project)
        first.tenant = tenant
        first.serviceAccount = serviceAccount
        return [first] + furtherProjects
    }

    /// Whether tokens of several projects are accepted. The names of users of all but the first include the project.
    package var hasSeveralProjects: Bool { !furtherProjects.isEmpty }

    /// The exact `iss` of the tokens of all projects.
    var issuers: [String] { projects.flatMap { [$0.issuer, $0.sessionIssuer] } }

    /// Returns the tenant of the users of a project whose names have none. `nil` for the project's own users.
    package func implicitTenant(of project: Configuration.FirebaseProject) -> String? {
        project.id == self.project ? tenant.id : nil
    }

    /// Reports a URL that would name the same project and tenant for all users, although there are several.
    func checkPlaceholder(_ url: String?, of key: String, in section: String, _ mapping: MappingReader) {
        guard let url, !url.contains("{project}"), hasSeveralProjects || tenant.isSeveral else { return }
        mapping.fail(
            key, "\(section).\(key) has no {project}, but identity.firebase has several projects or tenants",
            "write {project} in place of the project's id")
    }

    /// Returns the accepted project with this id.
    package func project(named id: String) -> Configuration.FirebaseProject? {
        projects.first { $0.id.utf8.elementsEqual(id.utf8) }
    }

    /// Reads `projects`. `nil` after any error.
    static func projects(_ value: ConfigurationValue) -> [Configuration.FirebaseProject]? {
        guard let elements = value.sequence() else { return nil }
        let projects = elements.compactMap(project)
        guard projects.count == elements.count else { return nil }
        var seen: Set<String> = []
        for (element, project) in zip(elements, projects) where !seen.insert(project.id).inserted {
            return element.fail(
                "\(value.name) has the project \(Quoted(project.id)) twice",
                "combine the entries, with a list of tenants")
        }
        return value.bounded(projects, maximumProjects, of: "projects")
    }

    private static func project(_ value: ConfigurationValue) -> Configuration.FirebaseProject? {
        guard let mapping = value.mapping(.firebaseProject) else { return nil }
        let id = mapping.required("project", "add the project id, as in project: my-app").flatMap(Self.id)
        var project = Configuration.FirebaseProject(id: id ?? "")
        mapping.set(&project.tenant, "tenant") { tenant($0, isStrict: true) }
        mapping.set(&project.serviceAccount, "service_account") { $0.path() }
        return id == nil ? nil : project
    }

    /// Reads a project id. A dot is only in the domain before a colon, so that no id is that of a provider.
    private static func id(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 128) else { return nil }
        guard isProject(text), !text.contains(".") || text.contains(":") else {
            return value.fail("\(value.name) is not a project id", "write the project id from the Firebase console")
        }
        return text
    }

    /// Reads the accepted tenants: one, a list, or `"*"`.
    ///
    /// - Parameter isStrict: Whether one tenant is checked like an element of a list, because it is part of the names
    ///   of users.
    static func tenant(_ value: ConfigurationValue, isStrict: Bool = false) -> Configuration.TenantPolicy? {
        if case .sequence = value.content {
            return value.list(atMost: maximumTenants, of: "tenants", tenantID).map { .anyOf($0) }
        }
        guard let text = value.string(atMost: 128) else { return nil }
        if text == "*" { return .any }
        return isStrict ? tenantID(value).map { .only($0) } : .only(text)
    }

    /// Reads the id of a tenant that is part of the names of users.
    static func tenantID(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 128) else { return nil }
        guard text.utf8.allSatisfy({ ClaimPathParser.continuesName($0) || $0 == UInt8(ascii: "-") })
        else {
            return value.fail(
                "\(value.name) is \(value.shown), not a tenant", "write the id of a tenant, as in acme-x1")
        }
        return text
    }
}
