import Authentication
package import GatewayConfiguration
package import GatewayCore
import JOSE
package import OutboundHTTP

/// The gateway's identity at Google.
package enum GoogleCredential: Sendable {
    /// The token that the Auth emulator accepts as the owner's. It is never sent to Google.
    case emulator
    /// A service account, from its key file.
    case serviceAccount(ServiceAccount)

    /// Reads the credential of the account lookups. `nil` without lookups.
    package init?(of settings: Configuration.FirebaseAccounts?) throws(ServiceAccount.Failure) {
        guard let settings else { return nil }
        if settings.isEmulated {
            self = .emulator
        } else if let file = settings.serviceAccount {
            self = .serviceAccount(try ServiceAccount(file: file))
        } else {
            return nil
        }
    }

    /// The project of the credential. `nil` if it is unknown.
    var project: String? {
        switch self {
        case .emulator: nil
        case .serviceAccount(let account): account.project
        }
    }

    /// The origin of access tokens, for messages.
    package var source: String {
        switch self {
        case .emulator: "the emulator"
        case .serviceAccount(let account): KeySource.name(of: account.tokenURL)
        }
    }

    /// The values whose change requires new tokens. They contain no secret.
    package var fingerprint: [String] {
        switch self {
        case .emulator: ["emulator"]
        case .serviceAccount(let account): ["service_account", account.email, account.key.keyID, account.tokenURL]
        }
    }
}

extension GoogleCredential {
    /// The lifetime of the emulator's token, which never expires, in seconds.
    private static let ownerLifetime: Int64 = 86_400

    /// Obtains an access token. It calls `completion` once, from any thread, during this call or later.
    package func fetch(
        _ transport: any OutboundTransport, within timeout: Duration, clock: GatewayClock,
        completion: @escaping @Sendable (Result<AccessToken, LookupFailure>) -> Void
    ) {
        switch self {
        case .emulator: completion(.success(AccessToken(value: Secret("owner"), lifetime: Self.ownerLifetime)))
        case .serviceAccount(let account):
            guard let request = AccessTokenGrant(account: account).request(now: clock.now()) else {
                return completion(.failure(LookupFailure(.ownCredentials, "the grant could not be signed")))
            }
            transport.send(request, within: timeout) { result in
                completion(result.flatMap { AccessTokenGrant.read($0, now: clock.now()) })
            }
        }
    }
}
