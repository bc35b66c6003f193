import Authentication
import Forwarding
package import Gatehouse
package import GatewayConfiguration
package import GatewayCore
import HTTPServer
import NIOPosix
import OutboundHTTP
import Revocation
import RevocationStores

/// The result of using one dependency of a gateway once.
package struct OnlineFinding: Sendable {
    /// The kind of dependency, one or two words.
    package let kind: String
    /// The URL, file or server, without credentials.
    package let name: String
    /// The state, or the reason why the dependency cannot be used.
    package let detail: String
    /// The remedy for a dependency that cannot be used. `nil` if it can.
    package let remedy: String?

    /// Whether the dependency can be used.
    package var isGood: Bool { remedy == nil }

    init(_ kind: String, _ name: String, _ detail: String, remedy: String? = nil) {
        self.kind = kind
        self.name = name
        self.detail = detail
        self.remedy = remedy
    }
}

/// One attempt to use each dependency of a configuration, by the gateway's own clients and with their timeouts. It
/// writes nothing.
package struct OnlineCheck: Sendable {
    let configuration: Configuration
    let snapshot: Snapshot
    let keys: KeyEvidenceSource
    let opaqueTokens: OpaqueEvidenceSource
    let accounts: AccountEvidenceSource
    let clock: GatewayClock

    /// The opaque token and the uid of lookups. Both exist nowhere.
    private static let probe = "gatehouse-check"

    /// Creates the check of a configuration and its snapshot.
    package init(_ configuration: Configuration, _ snapshot: Snapshot, clock: GatewayClock = .system) {
        self.init(
            configuration, snapshot, keys: .live(clock: clock),
            opaqueTokens: .live(clockSkew: configuration.identity.clockSkew, clock: clock),
            accounts: .live(configuration, clock: clock), clock: clock)
    }

    init(
        _ configuration: Configuration, _ snapshot: Snapshot, keys: KeyEvidenceSource,
        opaqueTokens: OpaqueEvidenceSource, accounts: AccountEvidenceSource, clock: GatewayClock
    ) {
        self.configuration = configuration
        self.snapshot = snapshot
        self.keys = keys
        self.opaqueTokens = opaqueTokens
        self.accounts = accounts
        self.clock = clock
    }

    /// Uses all dependencies at the same time, each once.
    ///
    /// - Returns: A finding for each, in the order certificates, key sets, providers, accounts, store, upstreams.
    package func run() async -> [OnlineFinding] {
        async let keySets = each(snapshot.keySources, keySet)
        async let providers = each(snapshot.opaqueProviders, introspection)
        async let accountFindings = firebaseAccounts()
        async let storeFinding = store()
        async let upstreams = each(snapshot.upstreams, upstream)
        let services = await keySets + providers + accountFindings
        return await certificates() + services + [storeFinding] + upstreams.flatMap(\.self)
    }

    /// Runs `body` for all elements concurrently. Their number is bounded by the configuration.
    private func each<Element: Sendable, Finding: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) async -> Finding
    ) async -> [Finding] {
        await withTaskGroup(of: (Int, Finding).self) { group in
            for (index, element) in elements.enumerated() { group.addTask { (index, await body(element)) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func keySet(_ source: KeySetSource) async -> OnlineFinding {
        switch await keys.evidence(for: source) {
        case .failed(let error, let source):
            return OnlineFinding("key set", source.name, error.explanation.what, remedy: error.explanation.remedy)
        case let evidence: return OnlineFinding("key set", source.name, evidence.source)
        }
    }

    private func introspection(_ provider: Configuration.Provider) async -> OnlineFinding {
        let url = provider.opaqueTokens.map { KeySource.name(of: $0.url) } ?? provider.id
        switch await opaqueTokens.query?(Array(Self.probe.utf8), provider) {
        case .failed(let failure)?:
            let remedy =
                failure.kind == .ownCredentials
                ? "correct client_id and client_secret of identity.providers.\(provider.id)"
                : "correct the URL of identity.providers.\(provider.id), or check the network"
            return OnlineFinding("provider", url, "no usable response: \(failure.shown)", remedy: remedy)
        case .accepted?, .refused?: return OnlineFinding("provider", url, "responds to \(provider.id)")
        case nil: return OnlineFinding("provider", url, "not queried")
        }
    }

    private func firebaseAccounts() async -> [OnlineFinding] {
        guard let settings = configuration.revocation.firebase, let firebase = configuration.identity.firebase else {
            return []
        }
        let name = KeySource.name(of: settings.lookupURL)
        guard firebase.hasSeveralProjects else { return [await accountFinding(of: nil, name)] }
        var findings = [await accountFinding(of: nil, "\(firebase.project) at \(name)")]
        for project in firebase.furtherProjects {
            findings.append(await accountFinding(of: project.id, "\(project.id) at \(name)"))
        }
        return findings
    }

    /// - Parameter project: The project. `nil` for the first one.
    private func accountFinding(of project: String?, _ name: String) async -> OnlineFinding {
        switch await accounts.lookUp?(UserKey(uid: Self.probe, tenant: nil, project: project)) {
        case .failed(let why)?:
            let remedy = "check revocation.firebase, the rights of its service account, and the network"
            return OnlineFinding("accounts", name, why, remedy: remedy)
        default: return OnlineFinding("accounts", name, "responds")
        }
    }

    private func store() async -> OnlineFinding {
        var needs: StoreProbe.Needs = []
        if configuration.admin.address != nil, configuration.admin.token != nil { needs.insert(.writes) }
        if configuration.accounts != nil { needs.formUnion([.writes, .accounts]) }
        let hasTransmitters = configuration.accounts?.transmitters.isEmpty == false
        if configuration.revocation.writeBack != nil || configuration.hasOutbox || hasTransmitters {
            needs.formUnion([.writes, .writeBack])
        }
        let name = "\(configuration.store)"
        do throws(StoreError) {
            let tokens = try configuration.storeTokens()
            return OnlineFinding(
                "store", name, try await StoreProbe.check(configuration.store, tokens: tokens, for: needs))
        } catch {
            // A store's message ends with the remedy.
            let parts = error.message.split(separator: "; ", maxSplits: 1).map(String.init)
            return OnlineFinding("store", name, parts[0], remedy: parts.count > 1 ? parts[1] : "correct `store`")
        }
    }

    private func upstream(_ settings: UpstreamSettings) async -> [OnlineFinding] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        return await UpstreamProbe.connect(to: settings, on: loop).map { finding in
            let name = "\(settings.name) \(finding.server)"
            guard let (what, remedy) = finding.problem else { return OnlineFinding("upstream", name, "connected") }
            return OnlineFinding("upstream", name, what, remedy: remedy)
        }
    }

    private func certificates() -> [OnlineFinding] {
        snapshot.listeners.flatMap { listener in
            zip(listener.configuration?.tls?.identities ?? [], listener.tls?.certificates ?? []).map {
                certificate($0.certificate, from: $1.beginning, until: $1.expiry)
            }
        }
    }

    private func certificate(_ file: String, from beginning: Int64, until end: Int64) -> OnlineFinding {
        let now = clock.now()
        let (kind, moment) = ("certificate", HumanTime.moment(end, now: now))
        if end <= now {
            return OnlineFinding(kind, file, "expired at \(moment)", remedy: "renew it and replace the file")
        }
        if beginning > now {
            let start = HumanTime.moment(beginning, now: now)
            return OnlineFinding(kind, file, "valid only from \(start)", remedy: "check the system clock")
        }
        return OnlineFinding(kind, file, "valid until \(moment)")
    }
}
