import Authentication
package import GatewayCore
package import OutboundHTTP

/// The gateway's identity at Google.
package struct GoogleCredential: Sendable {
    enum Kind: Sendable {
        /// The token that the Auth emulator accepts as the owner's. It is never sent to Google.
        case emulator
        /// A service account, from its key file.
        case serviceAccount(ServiceAccount)
        /// A developer's login.
        case authorizedUser(AuthorizedUser)
        /// Workload identity federation.
        case externalAccount(ExternalAccount)
        /// The service account of the workload.
        case metadata(MetadataServer)
    }

    /// The scope of tokens that permits all calls for which the identity has rights.
    static let scope = GoogleScope.cloudPlatform.rawValue

    let kind: Kind
    /// The bytes whose change requires new tokens.
    package let fingerprint: Secret
    /// The project whose quota the calls use (`x-goog-user-project`). `nil` for the project of the credential.
    package var quotaProject: String?
    /// The file that contains the credential. `nil` if absent.
    var file: String?
    var warnings: [CredentialWarning] = []

    init(kind: Kind, fingerprint: Secret) {
        (self.kind, self.fingerprint) = (kind, fingerprint)
    }

    /// The credential of the Auth emulator.
    package static let emulator = GoogleCredential(kind: .emulator, fingerprint: Secret("emulator"))

    /// The credential of a service account.
    static func serviceAccount(_ account: ServiceAccount) -> GoogleCredential {
        GoogleCredential(kind: .serviceAccount(account), fingerprint: Secret(account.email))
    }

    /// The project of the credential. `nil` if it is unknown.
    var project: String? {
        if case .serviceAccount(let account) = kind { account.project } else { nil }
    }

    /// The origin of access tokens, for messages.
    package var source: String {
        switch kind {
        case .emulator: "the emulator"
        case .serviceAccount(let account): KeySource.name(of: account.tokenURL)
        case .authorizedUser(let user): KeySource.name(of: user.tokenURL)
        case .externalAccount(let account): KeySource.name(of: account.impersonationURL ?? account.tokenURL)
        case .metadata(let server): KeySource.name(of: server.url)
        }
    }
}

extension GoogleCredential {
    package typealias Completion = @Sendable (Result<AccessToken, LookupFailure>) -> Void

    /// The lifetime of the emulator's token, which never expires, in seconds.
    private static let ownerLifetime: Int64 = 86_400

    /// How long a fetch may last if each step has this timeout: three steps and a reserve.
    static func fetchLimit(of timeout: Duration) -> Duration { timeout * 3 + .seconds(1) }

    /// Obtains an access token. It calls `completion` once, from any thread, during this call or later.
    ///
    /// - Parameters:
    ///   - scope: The scope of a service account's token. Tokens of other identities have the scope of all calls for
    ///     which the identity has rights.
    ///   - timeout: The timeout of each of at most three steps: the subject token, its exchange, the token of a service
    ///     account. The read of a subject token file has none.
    package func fetch(
        _ transport: any OutboundTransport, scope: GoogleScope = .identityToolkit, within timeout: Duration,
        clock: GatewayClock, completion: @escaping Completion
    ) {
        let fetch = TokenFetch(transport: transport, timeout: timeout, clock: clock)
        switch kind {
        case .emulator: completion(.success(AccessToken(value: Secret("owner"), lifetime: Self.ownerLifetime)))
        case .serviceAccount(let account):
            guard let request = AccessTokenGrant(account: account).request(scope: scope, now: clock.now()) else {
                return completion(.failure(LookupFailure(.ownCredentials, "the grant could not be signed")))
            }
            fetch.send(request, read: { AccessTokenGrant.read($0, now: $1) }, completion)
        case .authorizedUser(let user):
            fetch.send(user.request, read: { AccessTokenGrant.read($0, now: $1) }, completion)
        case .externalAccount(let account): fetch.exchange(account, scope: scope, completion)
        case .metadata(let server):
            fetch.send(server.request(scope), read: { MetadataServer.read($0, now: $1) }, completion)
        }
    }
}

/// The requests of one access token.
private struct TokenFetch: Sendable {
    typealias Completion = GoogleCredential.Completion

    let transport: any OutboundTransport
    let timeout: Duration
    let clock: GatewayClock

    func send(
        _ request: OutboundRequest,
        read: @escaping @Sendable (OutboundResponse, Int64) -> Result<AccessToken, LookupFailure>,
        _ completion: @escaping Completion
    ) {
        transport.send(request, within: timeout) { [clock] result in
            completion(result.flatMap { read($0, clock.now()) })
        }
    }

    /// Reads the subject token, exchanges it, and obtains a service account's token if the file names one.
    func exchange(_ account: ExternalAccount, scope: GoogleScope, _ completion: @escaping Completion) {
        account.source.read(transport, within: timeout, now: clock.now()) { subject in
            let exchange: OutboundRequest
            switch subject {
            case .success(let token): exchange = account.exchange(token, scope: scope)
            case .failure(let failure): return completion(.failure(failure))
            }
            send(exchange, read: { AccessTokenGrant.read($0, now: $1, allowsTextLifetime: true) }) { federated in
                guard case .success(let token) = federated, let url = account.impersonationURL else {
                    return completion(federated)
                }
                send(
                    account.impersonation(at: url, by: token.value, scope: scope),
                    read: { ExternalAccount.readImpersonation($0, now: $1) }, completion)
            }
        }
    }
}
