import AdminAPI
import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPServer
import Logging
import NIOCore
import Synchronization

/// The open listeners, in the order of the configuration, and the number of client connections that they may accept.
final class ListenerSet: Sendable {
    /// What a configuration needs to listen, acquired before it is put in place.
    struct Acquired {
        fileprivate let limit: Int
        fileprivate let listeners: [Listener]
    }

    private let workers: WorkerLoops
    private let control: any EventLoop
    private let logger: Logger
    private let budget = ConnectionBudget(limit: 0)
    private let listeners = Mutex<[Listener]>([])

    /// - Parameter control: a loop for what is not a connection.
    init(_ workers: WorkerLoops, control: any EventLoop, logger: Logger) {
        self.workers = workers
        self.control = control
        self.logger = logger
    }

    var current: [Listener] { listeners.withLock { $0 } }

    /// Opens the listeners of the first configuration.
    func open(for first: Generation) async throws {
        // Before the first connection can come.
        budget.change(
            limit: try connectionLimit(of: first), perAddress: first.configuration.limits.connectionsPerAddress)
        let opened = try await openListeners(of: first)
        listeners.withLock { $0 = opened }
    }

    /// Checks the file descriptors, keeps the listeners that are open at the configuration's addresses, and opens the others.
    ///
    /// - Throws: `GatewayStartError`; then nothing was opened.
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

    /// Closes what was opened for a configuration that is not put in place.
    func release(_ acquired: Acquired) async {
        let kept = current
        for listener in acquired.listeners where !kept.contains(where: { $0 === listener }) { await listener.close() }
    }

    /// Serves by a configuration: its listeners get its settings, the others accept no more.
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

    /// How many client connections there may be: as configured, or fewer where the system gives too few file descriptors.
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
    /// The address that clients can connect to, with the port that was taken where 0 was configured.
    var listenAddress: ListenAddress { ListenAddress(address) ?? wanted }

    /// The same with `https://` before it if it speaks TLS, for people.
    var name: String { settings.tls == nil ? "\(listenAddress)" : "https://\(listenAddress)" }
}

extension ListenAddress {
    /// `nil` for an address that is no listener's.
    init?(_ address: SocketAddress) {
        if let path = address.pathname, !path.isEmpty {
            self.init(path: path)
            return
        }
        guard let host = address.ipAddress, let port = address.port else { return nil }
        self.init(host: host, port: port)
    }
}
