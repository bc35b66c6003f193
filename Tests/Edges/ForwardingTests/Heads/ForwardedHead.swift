import Authentication
import Authorization
import Forwarding
import GatewayConfiguration
import GatewayCore
import NIOCore
import Revocation

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import RequestPipeline
@testable import SystemFixtures

/// The head that the upstream receives.
struct ForwardedHead {
    var renderer = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
    var forwardsCredential = false
    var token: TokenDraft?
    /// A recorded later sign-in, which the route requires.
    var signedInAt: UnixTime?
    var peer = "192.0.2.1"
    /// Additional credential sources of the route.
    var places: CredentialSources?
    /// Additional fields to remove.
    var removed = Configuration.RemovedFields()

    struct NotRendered: Error {}
    struct Denied: Error {}

    func render(
        _ text: String, path: String = "/",
        traceIDs: (RequestView) -> OutgoingHead.TraceIDs = { _ in
            OutgoingHead.TraceIDs(request: (1, 2), trace: (3, 4), span: 5)
        }
    ) throws -> WireMessage {
        try withRequest(text) { request in
            let locator = CredentialLocator(header: "Authorization", cookie: "__session")
            let outgoing = OutgoingHead(
                hygiene: HeaderHygiene(prefix: renderer.prefix, extra: renderer.extra.map(\.name), removed: removed),
                identity: renderer,
                locator: locator, forwardsCredential: forwardsCredential)
            let grant = try grant()
            let assertion = outgoing.assertion(for: grant.identity, upstream: 0, now: ManualClock.start)
            guard let assertion else { throw NotRendered() }
            let address = try SocketAddress(ipAddress: peer, port: 1)
            var output = ByteBuffer(string: "what was there before")
            let rendered = Array(path.utf8).withUnsafeBytes { path in
                outgoing.render(
                    request,
                    Permit(
                        to: .upstream(0), identity: grant.identity, signedInAt: grant.signedInAt,
                        plan: RoutePlan(
                            pattern: "/", policy: RoutePolicy(), upstream: 0, responseTimeout: 0, bodyLimit: nil,
                            places: places),
                        path: path, credentials: locator.find(in: request)),
                    OutgoingHead.Route(
                        peer: PeerAddress(address), fallbackHost: Array("upstream:3000".utf8),
                        assertion: assertion, trailers: outgoing.trailers(of: request)),
                    traceIDs(request), into: &output)
            }
            guard rendered != nil else { throw NotRendered() }
            return WireMessage(head: String(buffer: output))
        }
    }

    private func grant() throws -> Grant {
        let view = StoreView()
        view.setAlwaysFresh()
        var policy = RoutePolicy()
        policy.authentication = .optional
        let entry = try token?.entry(renderer)
        if let entry, let signedInAt {
            policy.recentSignIn = (entry.principal.authTime?.age(at: ManualClock.start) ?? 0) - 1
            view.setSession(entry.principal.sessionKey, to: RecordWord(SessionRecord(signedInAt: signedInAt)))
        }
        let authorizer = Authorizer(store: view.reader(), clockSkew: 5, maxStaleness: 1)
        let context = DecisionContext(now: ManualClock.start, monotonic: 0, mayWait: false)
        guard case .permit(let grant) = authorizer.decide(policy, identity: entry, in: context, storeFailure: { _ in })
        else { throw Denied() }
        return grant
    }
}
