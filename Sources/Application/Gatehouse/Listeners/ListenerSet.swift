import AdminAPI
import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPServer
import Logging
import NIOCore
import Synchronization

/// The open listeners in the order of the configuration, and the limit of client connections.
final class ListenerSet: Sendable {
    /// The listeners and the limit of a configuration, acquired before it is installed.
    struct Acquired {
        fileprivate let limit: Int
        fileprivate let listeners: [Listener]
    }

    private let workers: WorkerLoops
    private let control: any EventLoop
    private let logger: Logger
    private let budget = ConnectionBudget(limit: 0)
    private let listeners = Mutex<[Listener]>([])

    /// Creates an empty set. `control` is a loop for work that is not a connection.
    init(_ workers: WorkerLoops, control: any EventLoop, logger: Logger) {
        self.workers = workers
        self.control = control
        self.logger = logger
    }

    var current: [Listener] { listeners.withLock { $0 } }

    /// Opens the listeners of the first configuration.
    func open(for first: Generation) async throws {
        // Must precede the first connection.
        budget.change(
            limit: try connectionLimit(of: first), perAddress: first.configuration.limits.connectionsPerAddress)
        let opened = try await openListeners(of: first)
        listeners.withLock { $0 = opened }
    }

    /// Checks the file descriptors and opens the listeners that are not open yet.
    ///
    /// - Throws: `GatewayStartError`; no listener is opened then.
    func acquire(for next: Generation) async throws -> Acquired {
        Acquired(limit: try connectionLimit(of: next), listeners: try await openListeners(of: next))
    }

    private func openListeners(of next: Generation) async throws -> [Listener] {
        var open = current
        var (result, opened): ([Listener], [Listener]) = ([], [])
        for (wanted, settings) in zip(next.configuration.listen, next.snapshot.listeners) {
            if let index = open.firstIndex(where: { $0.wanted == wanted.address }) {
                result.append(open.remove(at: index))
                continue
            }
            do {
                let listener = try await Listener.open(
                    wanted.address, lanes: workers.lanes(), group: workers.group, control: control,
                    settings: settings, budget: budget)
                opened.append(listener)
                result.append(listener)
            } catch {
                for listener in opened { await listener.close() }
                throw GatewayStartError(cannotListenOn: "\(wanted.address)", error)
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
        for (listener, settings) in zip(listeners, next.snapshot.listeners) where listener.settings !== settings {
            listener.install(settings)
        }
        for listener in previous where !listeners.contains(where: { $0 === listener }) {
            await listener.close()
            logger.notice("no longer listening", metadata: ["address": "\(listener.wanted)"])
        }
        for listener in listeners where !previous.contains(where: { $0 === listener }) {
            logger.notice("listening", metadata: ["address": "\(listener.name)"])
        }
        budget.change(limit: acquired.limit, perAddress: next.configuration.limits.connectionsPerAddress)
    }

    func close() async {
        for listener in current { await listener.close() }
    }

    /// Returns the limit of client connections: the configured one, or fewer if file descriptors are short.
    private func connectionLimit(of generation: Generation) throws(GatewayStartError) -> Int {
        let configuration = generation.configuration
        let plan: DescriptorPlan
        do throws(DescriptorPlan.Shortage) {
            plan = try DescriptorPlan(
                connections: configuration.limits.connections,
                upstreamConnections: generation.snapshot.upstreams.reduce(0) { $0 + $1.connections },
                adminConnections: configuration.admin.address == nil ? 0 : AdminServer.Limits().connections,
                workers: workers.count, listeners: configuration.listen.count, available: DescriptorLimit.raise())
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
