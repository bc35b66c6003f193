import GatewayConfiguration
import GatewayCore
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
        configuration.password = account?.password.text
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
