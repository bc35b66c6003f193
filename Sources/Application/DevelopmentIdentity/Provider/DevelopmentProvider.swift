public import JOSE
internal import Synchronization

/// A local replacement of Firebase Authentication and of identity providers. It serves keys over HTTP and mints tokens
/// that they verify.
///
/// - Firebase: ``idToken(for:)``, ``sessionCookie(for:)``, ``keys``.
/// - ID tokens of Apple, Google, Microsoft, Facebook, Yahoo, LinkedIn and `oidc.NAME`:
///   ``idToken(of:for:audience:nonce:)``, ``keys(of:)``, ``updateKeys(of:_:)``, ``updateDiscovery(of:_:)``, at
///   ``Endpoint/keys(_:)`` and ``Endpoint/discovery(_:)``.
/// - Opaque tokens (introspection, GitHub, Facebook): ``OpaqueToken``, ``add(_:)``, ``revoke(_:)``, ``calls(about:)``,
///   ``setClient(_:for:)``.
/// - Identity Toolkit and the token endpoint: ``DevelopmentAccount``, ``setAccount(_:)``,
///   ``updateAccount(_:tenant:_:)``, ``deleteAccount(_:tenant:)``, ``makeServiceAccount(email:key:)``.
/// - Replay protection of App Check tokens, which are signed like ID tokens: ``Endpoint/appCheckConsumption``.
/// - All endpoints: ``Endpoint``, ``url(_:)``, ``calls(to:)``.
///
/// It listens on 127.0.0.1 only and issues any token to any client, so that it is only for demos and tests. All members
/// may be used from any thread while it runs.
public final class DevelopmentProvider: Sendable {
    /// The project of the tokens.
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
    ///   - project: The Firebase project of the tokens.
    ///   - port: The port, or 0 for any free one.
    ///   - keys: Firebase's keys. Default: keys shared by all providers of this process.
    ///   - keyDirectory: The directory of the identity providers' keys, created on first use. Default: keys shared by
    ///     all development providers of this process.
    ///   - maxAge: The seconds in `Cache-Control: public, max-age=`.
    ///   - now: Seconds since 1970, for tokens and certificates.
    /// - Throws: `listening` if the port is in use; `keys` if no key can be created.
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

    /// Stops permanently: closes the listener and all connections.
    public func stop() async { await server.stopListening() }

    /// Stops listening, so that connections are refused, and closes open connections. The port is kept for
    /// `resumeListening`.
    public func stopListening() async { await server.stopListening() }

    /// Listens again on the same port.
    ///
    /// - Throws: `listening` if another process uses the port.
    public func resumeListening() async throws(DevelopmentIdentityError) { try await server.listenAgain() }

    /// The provider's clock, in seconds since 1970.
    public var now: Int64 { service.now() }

    /// The current or last port.
    public var port: Int { server.port }

    /// Returns the URL of an endpoint. Some are templates; see ``Endpoint``.
    public func url(_ endpoint: Endpoint) -> String { "http://127.0.0.1:\(port)\(endpoint.rawValue)" }
}

// Keys
extension DevelopmentProvider {
    /// The current keys.
    public var keys: DevelopmentKeys { service.state.withLock { $0.keys } }

    /// Changes the keys (rotation, removal, replacement), starting with the next response.
    public func updateKeys(_ change: (inout DevelopmentKeys) -> Void) {
        service.state.withLock { change(&$0.keys) }
    }

    /// Adds a new RS256 key, which becomes the signing key. Older ones stay published.
    ///
    /// - Throws: An error of libcrypto.
    @discardableResult
    public func rotate(_ use: DevelopmentKeys.Use) throws(SigningKeyError) -> SigningKey {
        let key = try SigningKey.generate(.rs256, keyID: DevelopmentKeys.randomKeyID())
        updateKeys { $0.add(key, for: use) }
        return key
    }
}

// Requests
extension DevelopmentProvider {
    /// Returns the number of requests to an endpoint.
    public func calls(to endpoint: Endpoint) -> Int { service.log.count(endpoint.rawValue) }

    /// Waits until an endpoint has received `count` requests, or the task is cancelled.
    public func waitForCalls(_ count: Int, to endpoint: Endpoint) async {
        await service.log.wait(for: count, path: endpoint.rawValue)
    }

    /// The last 1024 requests, oldest first.
    public var received: [ReceivedRequest] { service.log.latest }

    /// The number of accepted connections.
    public var connectionCount: Int { server.acceptedConnections }

    /// Returns the interceptor of responses, and installs one if necessary.
    package func interceptor(
        orInstall make: @autoclosure () -> any ResponseInterceptor
    ) -> any ResponseInterceptor {
        server.interceptor(orInstall: make())
    }
}

// Tokens
extension DevelopmentProvider {
    /// Creates an ID token with this provider's project and clock. Modify it and sign it with `sign`.
    public func idToken(for user: DevelopmentUser = .ada) -> FirebaseToken {
        .idToken(for: user, project: project, now: service.now())
    }

    /// Creates a session cookie with this provider's project and clock. Modify it and sign it with `sign`.
    public func sessionCookie(for user: DevelopmentUser = .ada) -> FirebaseToken {
        .sessionCookie(for: user, project: project, now: service.now())
    }

    /// Signs a token with the current key of its kind. Custom tokens are signed with the key for ID tokens.
    ///
    /// - Throws: `keys` if no key is left.
    public func sign(_ token: FirebaseToken) throws(DevelopmentIdentityError) -> String {
        try keys.sign(token)
    }
}
