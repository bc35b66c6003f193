import GatewayConfiguration
import GatewayCore
import Logging
import NIOCore
import Redis
import Revocation

extension RedisLocation {
    /// Returns the configuration of a connection. Reads the TLS files.
    ///
    /// - Throws: `.cannotOpen` with the name of a file that is missing or invalid.
    func connection() throws(StoreError) -> RedisConfiguration {
        var configuration = RedisConfiguration(place)
        configuration.database = database
        // A replica may lack an acknowledged revocation.
        configuration.refusesCopies = true
        (configuration.connectTimeout, configuration.replyTimeout) = (timeouts.connect, timeouts.reply)
        configuration.username = account?.username
        switch account?.password {
        case .fixed(let password): configuration.password = password.text
        case .file, .command: configuration.renewal = RenewedCredentials()
        case nil: break
        }
        configuration.sentinelUsername = sentinelAccount?.username
        configuration.sentinelPassword = sentinelAccount?.password.text
        if let tls {
            do throws(RedisTLSError) {
                configuration.tls = try RedisTLS(
                    authorityFile: tls.ca, certificateFile: tls.certificate, keyFile: tls.privateKey)
            } catch {
                throw StoreError(.cannotOpen, "the Redis store: \(error)")
            }
        }
        return configuration
    }

    /// Returns the renewal of a configuration's credentials, which does nothing before `start`. `nil` if they do not
    /// change.
    func renewal(
        of configuration: RedisConfiguration, loop: any EventLoop, clock: GatewayClock, logger: Logger
    ) -> CredentialRenewal? {
        guard let account, let credentials = configuration.renewal else { return nil }
        let interval: Duration
        let fetch: CredentialRenewal.Fetch
        switch account.password {
        case .fixed: return nil
        case .file(let path):
            interval = timeouts.passwordFile
            fetch = { await PasswordFile.content(of: path) }
        case .command(let arguments, let every):
            interval = every
            fetch = { await CredentialCommand.output(of: arguments) }
        }
        return CredentialRenewal(
            of: credentials, username: account.username, every: interval, loop: loop, clock: clock, logger: logger,
            fetch: fetch)
    }

    /// The maximum time that a diagnosis waits for credentials that change.
    var credentialLimit: Duration {
        if case .command? = account?.password { CredentialCommand.timeout } else { timeouts.lookup }
    }

    /// The file of the view. `nil` without one. Restoring needs names, which the file does not have.
    var savedView: SavedView? {
        guard let viewFile, onLostStore != .restore else { return nil }
        return SavedView(path: viewFile, store: storeName)
    }

    private var place: RedisConfiguration.Location {
        switch servers {
        case .server(let address): .server(address.endpoint)
        case .sentinels(let addresses, let master): .sentinels(addresses.map(\.endpoint), master: master)
        }
    }
}

extension RedisLocation.Address {
    fileprivate var endpoint: RedisEndpoint { RedisEndpoint(host: host, port: port) }
}

extension Secret {
    fileprivate var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
