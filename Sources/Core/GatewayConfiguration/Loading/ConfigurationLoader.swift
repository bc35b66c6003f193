import Foundation
package import GatewayCore

extension Configuration {
    /// The environment of this process.
    package static var processEnvironment: [String: String] { ProcessInfo.processInfo.environment }

    /// Reads and validates a configuration file.
    ///
    /// - Parameters:
    ///   - file: The path, which messages repeat unchanged.
    ///   - environment: The variables for `${NAME}`, and the key URLs that override the file.
    /// - Throws: All errors of the file, with lines and columns.
    package static func load(
        file: String, environment: [String: String] = processEnvironment
    ) throws(ConfigurationErrors) -> Configuration {
        let source: SourceText
        do {
            source = try SourceText(readingFile: file)
        } catch {
            throw ConfigurationErrors([error])
        }
        return try load(source, environment: environment, files: nil)
    }

    /// Validates the bytes of a configuration.
    ///
    /// - Parameter files: The files for `${file:...}` by path. `nil` for the file system. Relative paths start at the
    ///   folder of `file`.
    package static func load(
        bytes: [UInt8], file: String, environment: [String: String], files: [String: [UInt8]]? = nil
    ) throws(ConfigurationErrors) -> Configuration {
        let source: SourceText
        do {
            source = try SourceText(bytes, file: file)
        } catch {
            throw ConfigurationErrors([error])
        }
        return try load(source, environment: environment, files: files)
    }

    /// Reads only the address of the admin listener from a configuration file, for a check of a running gateway. Errors
    /// in other parts of the file do not concern the gateway, which keeps its configuration.
    ///
    /// - Returns: The settings of the admin listener without a token.
    /// - Throws: The errors of the file if the address cannot be read.
    package static func admin(
        file: String, environment: [String: String] = processEnvironment
    ) throws(ConfigurationErrors) -> Admin {
        let source: SourceText
        do {
            source = try SourceText(readingFile: file)
        } catch {
            throw ConfigurationErrors([error])
        }
        let substitution = Substitution(environment: environment, directory: folder(of: file))
        return try ConfigurationLoader.admin(source, substitution)
    }

    private static func load(
        _ source: SourceText, environment: [String: String], files: [String: [UInt8]]?
    ) throws(ConfigurationErrors) -> Configuration {
        let substitution = Substitution(environment: environment, directory: folder(of: source.file), files: files)
        var configuration = try ConfigurationLoader.load(source, substitution)
        configuration.digest = source.digest
        return configuration
    }

    /// Returns the base of relative paths: the file's folder, or the working directory for standard input and other
    /// descriptors of the process.
    private static func folder(of file: String) -> String {
        let isDescriptor = ["/dev/stdin", "/dev/fd/", "/proc/"].contains { file.hasPrefix($0) }
        guard let slash = file.lastIndex(of: "/"), !isDescriptor else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }
}

/// A reader of one document by section. It collects all errors in the context.
struct ConfigurationLoader {
    private let context: LoadingContext
    private var configuration = Configuration()

    /// Returns the configuration in the text.
    static func load(_ source: SourceText, _ substitution: Substitution) throws(ConfigurationErrors) -> Configuration {
        let document = try YAMLDocument(source)
        var loader = ConfigurationLoader(context: LoadingContext(document: document, substitution: substitution))
        loader.readDocument(file: source.file)
        return try loader.result()
    }

    /// Returns the address of the admin listener in the text.
    static func admin(
        _ source: SourceText, _ substitution: Substitution
    ) throws(ConfigurationErrors) -> Configuration.Admin {
        let document = try YAMLDocument(source)
        // A duplicate key may be the one that is needed.
        guard document.duplicates.isEmpty else { throw ConfigurationErrors(document.duplicates) }
        let context = LoadingContext(document: document, substitution: substitution)
        guard let node = document.root else { throw ConfigurationErrors([empty(source.file)]) }
        guard
            let root = ConfigurationValue(node, name: "", context: context, permitting: .collection).mapping(.root)
        else { throw ConfigurationErrors(context.errors) }
        var admin = Configuration.Admin()
        guard let section = root.value("admin") else { return admin }
        guard let mapping = section.mapping(.admin) else { throw ConfigurationErrors(context.errors) }
        switch mapping.setting("address") {
        case .absent: break
        case .null: admin.address = nil
        case .value(let value):
            guard let address = value.portAddress() else { throw ConfigurationErrors(context.errors) }
            admin.address = address
        }
        return admin
    }

    private init(context: LoadingContext) {
        self.context = context
    }

    private func result() throws(ConfigurationErrors) -> Configuration {
        guard context.errors.isEmpty else { throw ConfigurationErrors(context.errors) }
        var configuration = configuration
        configuration.warnings = context.warnings.sorted { $0.location < $1.location }
        configuration.storeConflict = context.storeConflict
        return configuration
    }

    /// Returns the error for a file without a value.
    private static func empty(_ file: String) -> ConfigurationError {
        ConfigurationError(
            location: SourceLocation(file: file, line: 1, column: 1), what: "the file is empty",
            remedy: "write at least upstreams and routes")
    }

    private mutating func readDocument(file: String) {
        guard let node = context.document.root else {
            let error = Self.empty(file)
            return context.fail(error.location, error.what, error.remedy)
        }
        guard let root = ConfigurationValue(node, name: "", context: context, permitting: .collection).mapping(.root)
        else { return }
        readSections(root)
        root.set(&configuration.trustedProxies, "trusted_proxies") { $0.trustedNetworks() }
        configuration.decisions = root.decisions()
        readListeners(root)
        readRoutes(root, readUpstreams(root))
        checkCredentials(root)
    }

    private mutating func readSections(_ root: MappingReader) {
        root.set(&configuration.workers, "workers") { $0.integer(in: 1...1_024) }
        root.set(&configuration.limits, "limits") { $0.mapping(.limits).map(Configuration.Limits.init) }
        root.set(&configuration.drain, "drain") { $0.mapping(.drain).map(Configuration.Drain.init) }
        root.set(&configuration.reload, "reload") { $0.mapping(.reload).map(Configuration.Reload.init) }
        root.set(&configuration.admin, "admin") { $0.mapping(.admin).map(Configuration.Admin.init) }
        root.set(&configuration.identity, "identity") { $0.mapping(.identity).map(Configuration.Identity.init) }
        readStore(root)
        root.set(&configuration.revocation, "revocation") { value in
            let hasFirebase = root.value("identity")?.hasMember("firebase") ?? false
            let project = configuration.identity.firebase
            return value.mapping(.revocation).map {
                Configuration.Revocation($0, hasFirebase: hasFirebase, project: project)
            }
        }
        root.set(&configuration.headers, "headers") { $0.mapping(.headers).map(Configuration.IdentityHeaders.init) }
        root.set(&configuration.rules, "rules", Configuration.RulesFile.read)
        readAccounts(root)
        configuration.checkConsoleSignIn(context)
        root.set(&configuration.responseHeaders, "response_headers") { $0.responseHeaders() }
        root.set(&configuration.traceContext, "trace_context") { $0.choice() }
        root.set(&configuration.log, "log") { $0.mapping(.log).map(Configuration.Log.init) }
        configuration.telemetry = root.telemetry()
    }

    private mutating func readStore(_ root: MappingReader) {
        root.set(&configuration.store, "store", Configuration.StoreLocation.read)
        guard case .absent = root.setting("store"), case .sqlite(let path) = configuration.store else { return }
        configuration.store = .sqlite(
            path: context.path(path, of: "store", at: root.location, after: "store: sqlite:", for: .store))
    }

    private mutating func readAccounts(_ root: MappingReader) {
        let others = configuration
        let hasIdentity = root.value("identity")?.hasIssuers ?? false
        root.set(&configuration.accounts, "accounts") { value in
            value.mapping(.accounts).map { mapping in
                let accounts = Configuration.Accounts(mapping, others.identity)
                accounts.check(mapping, at: root.location(of: "accounts"), others, hasIdentity: hasIdentity)
                return accounts
            }
        }
        if root.value("accounts") == nil { checkFlows() }
    }

    /// Reports a client credential without accounts, which run the flow that it is for.
    private func checkFlows() {
        guard configuration.accounts == nil,
            let provider = configuration.identity.providers.first(where: { $0.codeFlow?.needsPublicURL == true })
        else { return }
        context.fail(
            provider.location,
            "identity.providers.\(provider.id) has a client credential, which only accounts use",
            "add accounts: { public_url: https://HOST }, or remove client_id and the credential")
    }

    private mutating func readListeners(_ root: MappingReader) {
        var listeners = root.listeners()
        if listeners.isEmpty {
            let place = root.location(of: "admin")
            listeners = configuration.listen.map { LocatedListener(listener: $0, location: place) }
        }
        configuration.listen = listeners.map(\.listener)
        checkDecisions()
        for listener in listeners {
            for problem in configuration.problems(withListenerAt: listener.listener.address) {
                context.fail(listener.location, problem.what, problem.remedy)
            }
            configuration.warnOfBelief(in: listener, context)
        }
    }

    private func checkDecisions() {
        guard let decisions = configuration.decisions else { return }
        let address = decisions.listener.address
        for problem in configuration.problems(withDecisionsAt: address) {
            context.fail(decisions.location, problem.what, problem.remedy)
        }
    }

    private mutating func readUpstreams(_ root: MappingReader) -> [MappingEntry] {
        // With policies only, there are none.
        if case .absent = root.setting("upstreams"), root.value("decisions") != nil { return [] }
        guard let value = root.required("upstreams", "add the upstream services") else { return [] }
        let entries = value.entries(permitting: .collection) ?? []
        configuration.upstreams = entries.compactMap(Configuration.Upstream.read)
        return entries
    }

    private mutating func readRoutes(_ root: MappingReader, _ upstreams: [MappingEntry]) {
        guard let value = root.required("routes", "add at least one"), let elements = value.sequence() else { return }
        let surroundings = RouteSurroundings(
            upstreams: upstreams.map(\.key),
            multiplexed: Set(configuration.upstreams.filter(\.protocol.isMultiplexed).map(\.name)),
            hasIdentity: root.value("identity")?.hasIssuers ?? false,
            hasFirebase: root.value("identity")?.hasMember("firebase") ?? false,
            hasAppCheck: root.value("identity")?.hasAppCheck ?? false, identity: configuration.identity,
            hasDecisions: root.value("decisions") != nil, sharesStore: configuration.store.isShared)
        configuration.routes = elements.compactMap { Configuration.Route.read($0, surroundings) }
        warnOfUnused(upstreams, used: elements.count == configuration.routes.count)
        addAuthHelper(root)
    }

    private mutating func addAuthHelper(_ root: MappingReader) {
        let key = root.value("identity")?.location(of: "firebase", "auth_helper") ?? root.location(of: "identity")
        if configuration.identity.firebase?.authHelper == true,
            configuration.upstreams.contains(where: { $0.name == Configuration.authHelperUpstream })
        {
            context.fail(
                key, "auth_helper adds the upstream \(Configuration.authHelperUpstream), which the file has, too",
                "rename the upstream of the file")
        }
        configuration.addAuthHelper(at: key)
    }

    private func warnOfUnused(_ upstreams: [MappingEntry], used allRoutesAreRead: Bool) {
        guard allRoutesAreRead else { return }
        let used = Set(configuration.routes.compactMap(\.upstream))
        for upstream in upstreams where !used.contains(upstream.key) {
            context.warn(upstream.keyLocation, "no route uses the upstream \(Quoted(upstream.key))", "remove it")
        }
    }

    private func checkCredentials(_ root: MappingReader) {
        let credentials = configuration.identity.credentials
        let needsCredential = configuration.routes.contains { $0.auth == .required }
        if credentials.header == nil && credentials.cookie == nil && needsCredential {
            context.fail(
                root.location(of: "identity"), "identity.credentials has neither a header nor a cookie",
                "set one of them, or auth: none on every route")
        }
        guard configuration.headers.forwardCredential, let header = credentials.header,
            configuration.headers.removes(header)
        else { return }
        context.warn(
            root.location(of: "headers"),
            "the credential header \(Quoted(header)) is removed, so forward_credential never forwards it",
            "choose a field name that headers does not remove (prefix \(configuration.headers.prefix), extra, remove_inbound)"
        )
    }
}
