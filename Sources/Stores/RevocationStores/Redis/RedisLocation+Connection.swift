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
        case .file, .command, .issued: configuration.renewal = RenewedCredentials()
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
    ///
    /// - Parameter tokens: The tokens of the managed service, if the location has one.
    func renewal(
        of configuration: RedisConfiguration, tokens: StoreTokenSource?, loop: any EventLoop, clock: GatewayClock,
        logger: Logger
    ) -> CredentialRenewal? {
        guard let account, let credentials = configuration.renewal else { return nil }
        let username = account.username
        let schedule: CredentialSchedule
        let fetch: CredentialRenewal.Fetch
        switch account.password {
        case .fixed: return nil
        case .file(let path):
            schedule = CredentialSchedule(interval: timeouts.passwordFile.nanoseconds)
            fetch = { await PasswordFile.content(of: path).parsed(username) }
        case .command(let arguments, let every):
            schedule = CredentialSchedule(interval: every.nanoseconds)
            fetch = { await CredentialCommand.output(of: arguments).parsed(username) }
        case .issued:
            schedule = CredentialSchedule(interval: timeouts.token.nanoseconds, seed: .random(in: .min ... .max))
            fetch = {
                guard let tokens else { return .failure(FetchedCredentials.Failure("there is no issuer of tokens")) }
                return await tokens.fetch().map { FetchedCredentials($0, username: username) }
                    .mapError { FetchedCredentials.Failure($0.description) }
            }
        }
        return CredentialRenewal(
            of: credentials, schedule: schedule, loop: loop, clock: clock, logger: logger, fetch: fetch)
    }

    /// The maximum time that a diagnosis waits for credentials that change.
    var credentialLimit: Duration {
        switch account?.password {
        case .command: CredentialCommand.timeout
        case .issued: StoreTokenSource.fetchLimit
        case .fixed, .file, nil: timeouts.lookup
        }
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
        case .cluster(let addresses, let tag): .cluster(addresses.map(\.endpoint), ClusterKeyspace(tag: tag))
        }
    }
}

extension RedisLocation.Address {
    fileprivate var endpoint: RedisEndpoint { RedisEndpoint(host: host, port: port) }
}

extension Secret {
    fileprivate var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

extension Result<[UInt8], FetchedCredentials.Failure> {
    /// The credentials in the text.
    fileprivate func parsed(_ username: String?) -> Result<FetchedCredentials, FetchedCredentials.Failure> {
        flatMap { text in
            Result<FetchedCredentials, FetchedCredentials.Failure> { () throws(FetchedCredentials.Failure) in
                try FetchedCredentials(parsing: text, username: username)
            }
        }
    }
}
