import GatewayConfiguration
import GatewayCore
import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Client certificates of connections that are open during a reload.
@Suite struct RemovedAuthorityTests {
    private let authority: TestAuthority
    private let other: TestAuthority

    init() throws {
        authority = try TestAuthority()
        other = try TestAuthority()
    }

    private func settings(port: Int = 1, authority clients: String?, required: Bool = true) throws -> ListenerSettings {
        let place = SourceLocation(origin: "test")
        var tls = Configuration.ListenerTLS(
            identities: [.init(certificate: authority.certificate, privateKey: authority.key, location: place)],
            location: place)
        tls.clientCA = clients
        tls.clientCertificates = required ? .required : .optional
        var listener = Configuration.Listener(address: ListenAddress(host: "127.0.0.1", port: port))
        listener.tls = tls
        var reader = ListenerSettingsReader(proxies: TrustedProxies(), now: 0)
        let settings = reader.read(listener)
        return try #require(settings)
    }

    /// Returns whether a certificate counts that was accepted under `first`, after a reload of the workers and then of
    /// the listener.
    private func counts(
        _ first: ListenerSettings, worker: ListenerSettings?, listener: ListenerSettings?, isRemoved: Bool = false
    ) throws -> Bool {
        try RequestPathRig().onLoop { home in
            let lane = ListenerLane(
                context: NIOLoopBound(home.connectionContext, eventLoop: home.loop),
                counters: NIOLoopBound(home.counters, eventLoop: home.loop))
            let slot = ListenerSlot(first, on: lane)
            let client = ClientHandler(connectionContext: home.connectionContext, peer: PeerAddress(nil))
            (client.listener, client.accepted) = (slot, first)
            if let listener { slot.install(listener) }
            if isRemoved { slot.retire() }
            return client.acceptsCertificate(under: worker)
        }
    }

    @Test func `a certificate counts while the address and the authorities are those of its handshake`() throws {
        let first = try settings(authority: authority.authority)
        #expect(try counts(first, worker: first, listener: nil))
        let same = try settings(authority: authority.authority, required: false)
        #expect(try counts(first, worker: same, listener: nil))
        #expect(try counts(first, worker: same, listener: same))
    }

    @Test func `a certificate of another authority does not count after a reload`() throws {
        let first = try settings(authority: authority.authority)
        for clients in [other.authority, nil] {
            let next = try settings(authority: clients)
            #expect(try !counts(first, worker: next, listener: nil))
            #expect(try !counts(first, worker: next, listener: next))
            // The file of the authorities has changed, but the configuration has not.
            #expect(try !counts(first, worker: first, listener: next))
        }
        let plain = try settings(authority: nil)
        #expect(try !counts(plain, worker: plain, listener: nil))
    }

    @Test func `a certificate does not count after a reload removed its listener`() throws {
        let first = try settings(authority: authority.authority)
        #expect(try !counts(first, worker: try settings(port: 2, authority: authority.authority), listener: nil))
        #expect(try !counts(first, worker: nil, listener: nil))
        #expect(try !counts(first, worker: first, listener: nil, isRemoved: true))
    }
}
