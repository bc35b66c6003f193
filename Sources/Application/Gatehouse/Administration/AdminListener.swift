import AdminAPI
import GatewayConfiguration
import GatewayCore
import NIOCore
import Synchronization

/// The admin listener; closed if the configuration has no address for it.
final class AdminListener: Sendable {
    private let server = Mutex<AdminServer?>(nil)

    /// The address with the port that was taken where 0 was configured; `nil` while it is closed.
    var address: SocketAddress? { server.withLock { $0?.address } }

    /// Connections that it closed for want of room.
    var closedCount: UInt64 { server.withLock { $0?.closedCount ?? 0 } }

    func open(
        _ settings: Configuration.Admin, backend: any AdministrationBackend, group: any EventLoopGroup
    ) async throws {
        guard let wanted = settings.address else { return }
        do {
            let opened = try await AdminServer.start(
                address: SocketAddress.makeAddressResolvingHost(wanted.host, port: wanted.port),
                token: settings.token.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } },
                hosts: [wanted.host], backend: backend, group: group)
            server.withLock { $0 = opened }
        } catch {
            throw GatewayStartError(cannotListenOn: "\(wanted) for the admin API", error)
        }
    }

    func close() async {
        await server.withLock { $0 }?.close()
    }
}
