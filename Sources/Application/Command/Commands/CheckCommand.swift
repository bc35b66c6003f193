import ArgumentParser
import Diagnostics
import Gatehouse
import GatewayConfiguration
import GatewayCore
import JOSE
import PrintableText
import SecurityRules

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validate a configuration and print its route table.",
        discussion: """
            Example: gatehouse check config/gatehouse.yaml

            Errors and warnings go to standard error as FILE:LINE:COLUMN: what; what to do. \
            With an error, the exit code is 1.

            With --online it then tries each dependency once: key sets and discovery documents, providers of opaque \
            tokens, the store, the servers of upstreams, and the validity of certificates. It writes nothing. With a \
            dependency that cannot be used, the exit code is 1.
            """)

    @Argument(help: ArgumentHelp("The configuration file, as with --config.", valueName: "file"))
    var file: String?

    @OptionGroup var source: ConfigurationOptions

    @Flag(help: "Also try each dependency once: key sets, store, upstreams, providers, certificates.")
    var online = false

    mutating func validate() throws {
        try source.use(file)
    }

    func run() async throws {
        let configuration = try source.load()
        let snapshot: Snapshot
        do throws(ConfigurationErrors) {
            snapshot = try Snapshot(configuration)
        } catch {
            throw Refused(error)
        }
        for line in RouteListing(configuration).lines { try Console.say(line) }
        try Console.say()
        try Console.say(summary(configuration, snapshot))
        for warning in configuration.warnings + snapshot.warnings { Console.complain("\(warning)") }
        guard online else { return }
        try await checkOnline(configuration, snapshot)
    }

    private func checkOnline(_ configuration: Configuration, _ snapshot: Snapshot) async throws {
        let findings = await OnlineCheck(configuration, snapshot).run()
        var table = TextTable(header: ["ONLINE", "KIND", "NAME", "DETAIL"])
        for finding in findings {
            let detail = finding.detail + (finding.remedy.map { "; \($0)" } ?? "")
            table.add([finding.isGood ? "ok" : "FAILED", finding.kind, finding.name, detail])
        }
        try Console.say()
        for line in table.lines { try Console.say(line) }
        let failures = findings.count { !$0.isGood }
        guard failures == 0 else {
            try Console.say("\n\(failures) of \(findings.count) dependencies cannot be used")
            throw ExitCode.failure
        }
    }

    private func summary(_ configuration: Configuration, _ snapshot: Snapshot) -> String {
        let listen = configuration.listen.map(\.description).joined(separator: ", ")
        let admin = configuration.admin.address.map { address in
            "\(address)" + (configuration.admin.token == nil ? " (no token: health and metrics only)" : "")
        }
        let upstreams = configuration.upstreams.map { upstream in
            "\(upstream.name) = \(upstream.servers.map { "\($0)" }.joined(separator: ", "))"
        }
        return """
            listen     \(listen)
            admin      \(admin ?? "off")
            store      \(configuration.store)
            upstreams  \(upstreams.joined(separator: "\n           "))
            headers    \(configuration.headers.note)\(projects(configuration))\(hosts(configuration))\(assertion(snapshot))\(rules(configuration, snapshot))\(accounts(configuration, snapshot))\(helper(configuration))

            \(PrintableText.escaped(source.file ?? "the options")): valid, \(configuration.routes.count) \
            \(configuration.routes.count == 1 ? "route" : "routes")
            """
    }

    /// The Firebase projects and their tenants. Empty with one project, which the routes do not distinguish.
    private func projects(_ configuration: Configuration) -> String {
        guard let firebase = configuration.identity.firebase, firebase.hasSeveralProjects else { return "" }
        let lines = firebase.projects.map { "\($0.id), \($0.tenant.note)" }
        return "\nprojects   \(lines.joined(separator: "\n           "))"
    }

    /// The hosts that accept credentials of one project or tenant only.
    private func hosts(_ configuration: Configuration) -> String {
        guard let hosts = configuration.identity.firebase?.hosts, !hosts.isEmpty else { return "" }
        let lines = hosts.map { host in
            guard let restriction = host.restriction else { return "\(host.host): unrestricted" }
            let accepted = (restriction.projects + [restriction.tenants.note]).filter { !$0.isEmpty }
            return "\(host.host): \(accepted.joined(separator: ", "))"
        }
        return "\nhosts      \(lines.joined(separator: "\n           "))"
    }

    private func accounts(_ configuration: Configuration, _ snapshot: Snapshot) -> String {
        guard let accounts = configuration.accounts else { return "" }
        let key =
            snapshot.sessionKeyFiles.map { "signed by the key \($0.current.keyID)" }
            ?? "signed by a key in the store"
        let issuer = accounts.issuer.map { "of \($0)" } ?? "with the issuer in the store"
        let origins = accounts.origins.isEmpty ? "" : "\norigins    \(accounts.origins.joined(separator: ", "))"
        let calls = snapshot.builtinCalls.joined(separator: "\n           ")
        let page = accounts.page == nil ? "" : "\npage       \(accounts.publicURL ?? "")/.gatehouse/"
        return "\naccounts   on: session cookies \(issuer), \(key)\(origins)\(page)\ncalls      \(calls)"
            + flows(configuration, accounts) + transmitters(accounts)
    }

    /// The redirect URIs to register at the providers, and the URLs that apps must own.
    private func flows(_ configuration: Configuration, _ accounts: Configuration.Accounts) -> String {
        guard let origin = accounts.publicURL else { return "" }
        let uris = configuration.identity.providers.filter { $0.codeFlow != nil }
            .map { "\(origin)/.gatehouse/callback/\($0.id) at \($0.id)" }
        let apps = accounts.apps.map { "\($0.text): \($0.kind.note)" }
        return [("register   ", uris), ("apps       ", apps)].filter { !$0.1.isEmpty }
            .map { "\n\($0.0)\($0.1.joined(separator: "\n           "))" }.joined()
    }

    /// The transmitters of security events, and the users that they may name.
    private func transmitters(_ accounts: Configuration.Accounts) -> String {
        guard !accounts.transmitters.isEmpty else { return "" }
        let lines = accounts.transmitters.map { transmitter in
            let users =
                switch transmitter.subjects {
                case .firebase: "firebase"
                case .provider(let id): id
                }
            let delivery = transmitter.poll == nil ? "" : ", polled"
            return "\(transmitter.id) = \(transmitter.issuer), users of \(users)\(delivery)"
        }
        return "\nevents     \(lines.joined(separator: "\n           "))"
    }

    /// The redirect URIs to register at the providers of Firebase's sign-in helper.
    private func helper(_ configuration: Configuration) -> String {
        guard let firebase = configuration.identity.firebase, firebase.authHelper else { return "" }
        let hosts = configuration.authHelperHosts
        let isOnAny = configuration.routes.contains { $0.isAuthHelper && $0.hosts.isEmpty }
        let uris = ((isOnAny ? ["HOST"] : []) + hosts).map { host in
            "https://\(host.hasPrefix("*.") ? "NAME\(host.dropFirst())" : host)/__/auth/handler"
        }
        return "\nhelper     /__/auth/ of https://\(firebase.helperHost)"
            + "\nregister   \(uris.joined(separator: "\n           "))"
    }

    private func rules(_ configuration: Configuration, _ snapshot: Snapshot) -> String {
        guard let file = configuration.rules, let count = snapshot.rules?.rules.count else { return "" }
        return "\nrules      \(file.path): \(count) allow \(count == 1 ? "statement" : "statements")"
    }

    private func assertion(_ snapshot: Snapshot) -> String {
        snapshot.assertionKeyID.map { "\nassertion  signed by the key \($0)" } ?? ""
    }
}

extension Configuration.TenantPolicy {
    /// The accepted tenants, for the output of `check`.
    fileprivate var note: String {
        switch self {
        case .none: "without tenants"
        case .only(let tenant): "the tenant \(tenant)"
        case .anyOf(let tenants): "the tenants \(tenants.joined(separator: ", "))"
        case .any: "any tenant"
        }
    }
}

extension Configuration.FirebaseRestriction.Tenants {
    /// The accepted tenants, for the output of `check`. Empty if they are not restricted.
    fileprivate var note: String {
        switch self {
        case .unrestricted: ""
        case .absent: "without a tenant"
        case .present: "any tenant"
        case .anyOf(let tenants): "the \(tenants.count == 1 ? "tenant" : "tenants") \(tenants.joined(separator: ", "))"
        }
    }
}

extension Configuration.AppURL.Kind {
    /// The registration at the app's system, for the output of `check`.
    fileprivate var note: String {
        switch self {
        case .privateScheme: "a URL scheme of the app"
        case .claimedLink: "a universal link or app link of the app"
        case .loopback: "any port, on the device of the app"
        }
    }
}
