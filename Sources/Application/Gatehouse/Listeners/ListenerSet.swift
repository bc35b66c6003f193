import AdminAPI
import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPServer
import Logging
import NIOCore
import Synchronization

/// The open listeners of one purpose in the order of the configuration, and the limit of their connections.
final class ListenerSet: Sendable {
    /// The purpose of the listeners.
    enum Purpose {
        /// The requests of clients (`listen`).
        case clients
        /// The decision of other proxies (`decisions`).
        case decisions
    }

    /// The listeners and the limits of a configuration, acquired before it is installed.
    struct Acquired {
        fileprivate let limits: Limits
        fileprivate let listeners: [Listener]
    }

    /// The maximum numbers of connections.
    fileprivate struct Limits {
        var total: Int
        /// `nil` for the default share.
        var perAddress: Int?
        /// Those of peers that the listener does not trust, in addition: in total, and per address.
        var strangers = 0
        var strangersPerAddress = 1
    }

    private let purpose: Purpose
    private let workers: WorkerLoops
    private let control: any EventLoop
    private let logger: Logger
    private let budget = ConnectionBudget(limit: 0, strangers: ConnectionBudget(limit: 0))
    private let listeners = Mutex<[Listener]>([])

    /// Creates an empty set. `control` is a loop for work that is not a connection.
    init(
        _ workers: WorkerLoops, for purpose: Purpose = .clients, control: any EventLoop, logger: Logger
    ) {
        self.purpose = purpose
        self.workers = workers
        self.control = control
        self.logger = logger
    }

    var current: [Listener] { listeners.withLock { $0 } }

    /// Opens the listeners of the first configuration.
    func open(for first: Generation) async throws {
        // Must precede the first connection.
        change(to: try limits(of: first))
        let opened = try await openListeners(of: first)
        listeners.withLock { $0 = opened }
    }

    /// Checks the file descriptors and opens the listeners that are not open yet.
    ///
    /// - Throws: `GatewayStartError`; no listener is opened then.
    func acquire(for next: Generation) async throws -> Acquired {
        Acquired(limits: try limits(of: next), listeners: try await openListeners(of: next))
    }

    /// Returns the addresses and settings of a configuration.
    private func wanted(in next: Generation) -> [(address: ListenAddress, settings: ListenerSettings)] {
        switch purpose {
        case .clients: Array(zip(next.configuration.listen.map(\.address), next.snapshot.listeners))
        case .decisions:
            next.configuration.decisions.flatMap { decisions in
                next.snapshot.decisionListener.map { [(decisions.listener.address, $0)] }
            } ?? []
        }
    }

    private func lanes() async throws -> [ListenerLane] {
        switch purpose {
        case .clients: try await workers.lanes()
        case .decisions: try await workers.decisionLanes()
        }
    }

    private func openListeners(of next: Generation) async throws -> [Listener] {
        var open = current
        var (result, opened): ([Listener], [Listener]) = ([], [])
        for (wanted, settings) in wanted(in: next) {
            if let index = open.firstIndex(where: { $0.wanted == wanted }) {
                result.append(open.remove(at: index))
                continue
            }
            do {
                let listener = try await Listener.open(
                    wanted, lanes: lanes(), group: workers.group, control: control,
                    settings: settings, budget: budget)
                opened.append(listener)
                result.append(listener)
            } catch {
                for listener in opened { await listener.close() }
                throw GatewayStartError(cannotListenOn: "\(wanted)", error)
            }
        }
        return result
    }

    /// Closes the listeners that were opened for a configuration that is not installed.
    func release(_ acquired: Acquired) async {
        let kept = current
        for listener in acquired.listeners where !kept.contains(where: { $0 === listener }) { await listener.close() }
    }

    /// Installs a configuration: its listeners receive its settings, and the remaining ones stop accepting.
    func install(_ acquired: Acquired, of next: Generation) async {
        let listeners = acquired.listeners
        let previous = self.listeners.withLock { current in
            defer { current = listeners }
            return current
        }
        for (listener, wanted) in zip(listeners, wanted(in: next)) where listener.settings !== wanted.settings {
            listener.install(wanted.settings)
        }
        for listener in previous where !listeners.contains(where: { $0 === listener }) {
            switch purpose {
            case .clients: await listener.close()
            case .decisions: await listener.retire()
            }
            logger.notice("no longer listening", metadata: ["address": "\(listener.wanted)"])
        }
        for listener in listeners where !previous.contains(where: { $0 === listener }) {
            logger.notice(
                purpose == .clients ? "listening" : "decisions listening",
                metadata: ["address": "\(listener.name)"])
        }
        change(to: acquired.limits)
    }

    private func change(to limits: Limits) {
        budget.change(limit: limits.total, perAddress: limits.perAddress)
        budget.strangers?.change(limit: limits.strangers, perAddress: limits.strangersPerAddress)
    }

    func close() async {
        for listener in current { await listener.close() }
    }

    private func limits(of generation: Generation) throws(GatewayStartError) -> Limits {
        switch purpose {
        case .clients:
            return Limits(
                total: try connectionLimit(of: generation),
                perAddress: generation.configuration.limits.connectionsPerAddress)
        case .decisions:
            guard let decisions = generation.configuration.decisions else { return Limits(total: 0) }
            let connections = DecisionConnections(
                of: decisions.connections, admitsStrangers: decisions.introspection != nil)
            return Limits(
                total: connections.trusted, strangers: connections.strangers,
                strangersPerAddress: connections.strangersPerAddress)
        }
    }

    /// Returns the limit of client connections: the configured one, or fewer if file descriptors are short.
    private func connectionLimit(of generation: Generation) throws(GatewayStartError) -> Int {
        let configuration = generation.configuration
        let admin = configuration.admin.address == nil ? 0 : AdminServer.Limits().connections
        let plan: DescriptorPlan
        do throws(DescriptorPlan.Shortage) {
            plan = try DescriptorPlan(
                connections: configuration.limits.connections,
                upstreamConnections: generation.snapshot.upstreams.reduce(0) { $0 + $1.connections },
                adminConnections: admin + (configuration.decisions?.connections ?? 0), workers: workers.count,
                listeners: configuration.listen.count + (configuration.decisions == nil ? 0 : 1),
                available: DescriptorLimit.raise())
        } catch {
            throw GatewayStartError(error.description)
        }
        if plan.isShort {
            logger.warning(
                "fewer file descriptors than the limits need: fewer client connections are accepted",
                metadata: [
                    "needed": "\(plan.needed)", "available": "\(plan.available)",
                    "connections": "\(plan.connections)", "remedy": "\(DescriptorPlan.remedy)",
                ])
        }
        return plan.connections
    }
}

extension Listener {
    /// The address that clients can connect to, with the actual port.
    var listenAddress: ListenAddress { ListenAddress(address) ?? wanted }

    /// The same address for display, with `https://` if it uses TLS.
    var name: String { settings.tls == nil ? "\(listenAddress)" : "https://\(listenAddress)" }
}

extension ListenAddress {
    /// Creates the address. `nil` if it is not a listener's.
    init?(_ address: SocketAddress) {
        if let path = address.pathname, !path.isEmpty {
            self.init(path: path)
            return
        }
        guard let host = address.ipAddress, let port = address.port else { return nil }
        self.init(host: host, port: port)
    }
}
