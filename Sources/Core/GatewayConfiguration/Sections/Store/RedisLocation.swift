package import GatewayCore
import TextCoding

/// A Redis that gateways share: its address, credentials and settings.
package struct RedisLocation: Sendable, Equatable {
    /// A host and a port.
    package struct Address: Sendable, Hashable, CustomStringConvertible {
        /// A name, an IPv4 address, or an IPv6 address without brackets.
        package var host: String
        /// 1 to 65535.
        package var port: Int

        /// Creates an address from valid parts.
        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// `HOST:PORT`.
        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// The way to find the server.
    package enum Servers: Sendable, Hashable {
        /// A fixed server.
        case server(Address)
        /// The master with that name, as reported by 1 to 32 sentinels.
        case sentinels([Address], master: String)
        /// The master of a Redis Cluster that serves the slot of a hash tag, as reported by 1 to 32 nodes.
        case cluster([Address], tag: String)
    }

    /// The source of a password.
    package enum Password: Sendable, Equatable {
        /// It does not change.
        case fixed(Secret)
        /// A file that is read again.
        case file(String)
        /// The absolute path of a program and its arguments, which runs again after the interval at the latest.
        case command([String], every: Duration)
        /// Tokens of a managed service.
        case issued(by: TokenIssuer)
    }

    /// The credentials of a user.
    package struct Account: Sendable, Equatable {
        /// `nil` for the default user.
        package var username: String?
        /// Its password.
        package var password: Password

        /// Creates credentials.
        package init(username: String? = nil, password: Password) {
            self.username = username
            self.password = password
        }

        /// Creates credentials that do not change.
        package init(username: String? = nil, password: Secret) {
            self.init(username: username, password: .fixed(password))
        }
    }

    /// The credentials for sentinels, which do not change.
    package struct SentinelAccount: Sendable, Equatable {
        /// `nil` for the default user.
        package var username: String?
        /// Its password.
        package var password: Secret

        /// Creates credentials.
        package init(username: String? = nil, password: Secret) {
            self.username = username
            self.password = password
        }
    }

    /// The TLS settings, also for sentinels. The server's name is always verified.
    package struct TLS: Sendable, Hashable {
        /// A PEM file with the trusted authorities (`ca`). `nil` for the system's.
        package var ca: String?
        /// A PEM file with the gateway's certificate (`certificate`), if the server requires one.
        package var certificate: String?
        /// A PEM file with that certificate's key (`private_key`).
        package var privateKey: String?

        /// Creates settings with the system's authorities and without a certificate.
        package init() {}
    }

    /// The timeouts of connections and calls. The configuration has no keys for them.
    package struct Timeouts: Sendable, Equatable {
        /// The timeout for the TCP connection, and again for TLS and the handshake commands.
        package var connect: Duration = .seconds(2)
        /// The timeout of a reply to a read or write.
        package var reply: Duration = .seconds(1)
        /// The timeout of replies to a replica, in addition to the time that a read of the stream waits.
        package var replicaReply: Duration = .seconds(5)
        /// The maximum time that loading a store waits for all records.
        package var load: Duration = .seconds(5)
        /// The maximum time that an acknowledged write waits to appear in the view of its gateway.
        package var visibility: Duration = .seconds(1)
        /// The interval at which a password file is read.
        package var passwordFile: Duration = .seconds(5)
        /// The maximum interval at which tokens of a managed service are renewed.
        package var token: Duration = .seconds(3600)
        /// The timeout of connecting for a diagnosis.
        package var lookup: Duration = .seconds(3)

        /// Creates the timeouts of a gateway.
        package init() {}
    }

    /// The way to find the server.
    package var servers: Servers
    /// The number of the database, 0 to 2^31 - 1. Default: 0.
    package var database = 0
    /// The credentials for the server. `nil` if it requires none.
    package var account: Account?
    /// The credentials for the sentinels. `nil` if they require none.
    package var sentinelAccount: SentinelAccount?
    /// `nil` for plaintext connections.
    package var tls: TLS?
    /// The policy for records that the store has lost.
    package var onLostStore = StoreLossPolicy.keep
    /// A file in which the view is saved. `nil`: each start reads all records.
    package var viewFile: String?
    /// The timeouts of connections and calls.
    package var timeouts = Timeouts()

    /// Creates a location with default settings.
    package init(servers: Servers) {
        self.servers = servers
    }
}

/// The policy for records that are missing from Redis although no entry removed them.
package enum StoreLossPolicy: String, Sendable, CaseIterable {
    /// The view keeps them until an operator decides.
    case keep
    /// The view drops them.
    case accept
    /// They are written back.
    case restore
}

extension RedisLocation: CustomStringConvertible {
    /// The URL without passwords.
    package var description: String {
        url(of: account.map { "\($0.username.map(Self.encoded) ?? ""):\($0.password.shown)@" } ?? "")
    }

    /// The URL without credentials, which names the data.
    package var storeName: String { url(of: "") }

    private func url(of user: String) -> String {
        switch servers {
        case .server(let address):
            return "\(tls == nil ? "redis" : "rediss")://\(user)\(address)/\(database)"
        case .sentinels(let addresses, let master):
            return "\(tls == nil ? "redis" : "rediss")+sentinel://\(user)\(Self.list(addresses))/\(master)/\(database)"
        case .cluster(let addresses, let tag):
            return "\(tls == nil ? "redis" : "rediss")+cluster://\(user)\(Self.list(addresses))/\(tag)"
        }
    }

    private static func list(_ addresses: [Address]) -> String {
        addresses.map(\.description).joined(separator: ",")
    }

    /// Returns a user name in URL encoding.
    private static func encoded(_ user: String) -> String {
        String(decoding: PercentEncoding.encoded(user.utf8), as: UTF8.self)
    }
}

extension RedisLocation.Password {
    /// The password in descriptions, which do not contain it.
    fileprivate var shown: String {
        if case .fixed(let password) = self { "\(password)" } else { "[changing]" }
    }
}
