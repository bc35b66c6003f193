import AdminAPI
import GatewayConfiguration
import GatewayCore
import NIOCore
import Synchronization

/// The admin listener. It stays closed if no address is configured.
final class AdminListener: Sendable {
    private let server = Mutex<AdminServer?>(nil)

    /// The bound address with the actual port. `nil` while the listener is closed.
    var address: SocketAddress? { server.withLock { $0?.address } }

    /// The number of connections that were closed because of the limit.
    var closedCount: UInt64 { server.withLock { $0?.closedCount ?? 0 } }

    func open(
        _ settings: Configuration.Admin, backend: any AdministrationBackend, signIn: any ConsoleSignIn,
        clock: GatewayClock, group: any EventLoopGroup
    ) async throws {
        guard let wanted = settings.address else { return }
        do {
            let opened = try await AdminServer.start(
                address: SocketAddress.makeAddressResolvingHost(wanted.host, port: wanted.port),
                settings: settings, backend: backend, signIn: signIn, clock: clock, group: group)
            server.withLock { $0 = opened }
        } catch {
            throw GatewayStartError(cannotListenOn: "\(wanted) for the admin API", error)
        }
    }

    func close() async {
        await server.withLock { $0 }?.close()
    }
}
