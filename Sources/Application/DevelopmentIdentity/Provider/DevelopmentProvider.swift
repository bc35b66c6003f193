public import JOSE
internal import Synchronization

/// A local stand-in for Firebase Authentication and for the identity providers behind it: it serves real keys over HTTP
/// and mints tokens that they verify.
///
/// - Firebase: ``idToken(for:)``, ``sessionCookie(for:)``, ``keys``.
/// - ID tokens of Apple, Google, Microsoft, Facebook, Yahoo, LinkedIn and `oidc.NAME`:
///   ``idToken(of:for:audience:nonce:)``, ``keys(of:)``, ``updateKeys(of:_:)``, ``updateDiscovery(of:_:)``, at
///   ``Endpoint/keys(_:)`` and ``Endpoint/discovery(_:)``.
/// - Opaque tokens (introspection, GitHub, Facebook): ``OpaqueToken``, ``add(_:)``, ``revoke(_:)``, ``calls(about:)``,
///   ``setClient(_:for:)``.
/// - Identity Toolkit and the token endpoint: ``DevelopmentAccount``, ``setAccount(_:)``,
///   ``updateAccount(_:tenant:_:)``, ``deleteAccount(_:tenant:)``, ``makeServiceAccount(email:key:)``.
/// - Everything it serves: ``Endpoint``, ``url(_:)``, ``calls(to:)``.
///
/// It listens on 127.0.0.1 only, and anybody who reaches it gets any token: it is for demos and tests. All members may
/// be used from any thread while it runs.
public final class DevelopmentProvider: Sendable {
    /// The project that tokens are for.
    public var project: String { service.project }

    let service: ProviderService
    private let server: LoopbackServer

    private init(service: ProviderService) {
        self.service = service
        server = LoopbackServer(service: service)
    }

    /// Starts a provider.
    ///
    /// - Parameters:
    ///   - project: the Firebase project that tokens are for.
    ///   - port: the port, or 0 for any that is free.
    ///   - keys: Firebase's keys; by default those that all providers of this process share.
    ///   - keyDirectory: where the identity providers' keys are kept, made when first used; by default they are those
    ///     that all development providers of this process share.
    ///   - maxAge: the seconds in `Cache-Control: public, max-age=`.
    ///   - now: seconds since 1970, for tokens and certificates.
    /// - Throws: `listening` where the port is taken; `keys` where none can be made.
    public static func start(
        project: String = FirebaseToken.demoProject, port: Int = 0, keys: DevelopmentKeys? = nil,
        keyDirectory: String? = nil, maxAge: Int = 3600, now: (@Sendable () -> Int64)? = nil
    ) async throws(DevelopmentIdentityError) -> DevelopmentProvider {
        let keys = if let keys { keys } else { try DevelopmentIdentityError.wrapping(DevelopmentKeys.shared) }
        let service = ProviderService(
            keys: keys, keyring: IdentityKeyring(directory: keyDirectory), maxAge: maxAge, project: project,
            now: now ?? SystemTime.seconds)
        let provider = DevelopmentProvider(service: service)
        try await provider.server.listen(port: port)
        service.state.withLock { $0.base = "http://127.0.0.1:\(provider.port)" }
        return provider
    }

    /// Stops for good: closes the listener and all connections.
    public func stop() async { await server.stopListening() }

    /// Stops listening, so that connections are refused, and closes those that are open. The port is kept in mind.
    public func stopListening() async { await server.stopListening() }

    /// Listens again on the same port.
    ///
    /// - Throws: `listening` where another process took the port in the meantime.
    public func resumeListening() async throws(DevelopmentIdentityError) { try await server.listenAgain() }

    /// The provider's clock, in seconds since 1970.
    public var now: Int64 { service.now() }

    /// The port it listens on, or did.
    public var port: Int { server.port }

    /// The URL of an endpoint; some are templates, as ``Endpoint`` tells.
    public func url(_ endpoint: Endpoint) -> String { "http://127.0.0.1:\(port)\(endpoint.rawValue)" }
}

// Keys
extension DevelopmentProvider {
    /// The keys as they are now.
    public var keys: DevelopmentKeys { service.state.withLock { $0.keys } }

    /// Changes the keys: rotation, removal, replacement. The next response has them.
    public func updateKeys(_ change: (inout DevelopmentKeys) -> Void) {
        service.state.withLock { change(&$0.keys) }
    }

    /// Adds a fresh RS256 key, which signs from now on; the older ones stay published.
    ///
    /// - Throws: what libcrypto refuses.
    @discardableResult
    public func rotate(_ use: DevelopmentKeys.Use) throws(SigningKeyError) -> SigningKey {
        let key = try SigningKey.generate(.rs256, keyID: DevelopmentKeys.randomKeyID())
        updateKeys { $0.add(key, for: use) }
        return key
    }
}

// Requests
extension DevelopmentProvider {
    /// How many requests an endpoint got so far.
    public func calls(to endpoint: Endpoint) -> Int { service.log.count(endpoint.rawValue) }

    /// Returns once an endpoint got so many requests, or once the task is cancelled.
    public func waitForCalls(_ count: Int, to endpoint: Endpoint) async {
        await service.log.wait(for: count, path: endpoint.rawValue)
    }

    /// The latest 1024 requests, oldest first.
    public var received: [ReceivedRequest] { service.log.latest }

    /// How many connections were accepted so far.
    public var connectionCount: Int { server.acceptedConnections }

    /// Returns the interceptor of the responses; installs one first where there is none.
    package func interceptor(
        orInstall make: @autoclosure () -> any ResponseInterceptor
    ) -> any ResponseInterceptor {
        server.interceptor(orInstall: make())
    }
}

// Tokens
extension DevelopmentProvider {
    /// An ID token of this provider's project and clock, to be changed and then signed with `sign`.
    public func idToken(for user: DevelopmentUser = .ada) -> FirebaseToken {
        .idToken(for: user, project: project, now: service.now())
    }

    /// A session cookie of this provider's project and clock, to be changed and then signed with `sign`.
    public func sessionCookie(for user: DevelopmentUser = .ada) -> FirebaseToken {
        .sessionCookie(for: user, project: project, now: service.now())
    }

    /// Signs a token with the current key of its kind; custom tokens with the one for ID tokens.
    ///
    /// - Throws: `keys` where there is no key left.
    public func sign(_ token: FirebaseToken) throws(DevelopmentIdentityError) -> String {
        try keys.sign(token)
    }
}
