package import GatewayCore
import TextCoding

/// A Redis that gateways share: where it is, as whom it is asked, and how.
package struct RedisLocation: Sendable, Equatable {
    /// A host and a port.
    package struct Address: Sendable, Hashable, CustomStringConvertible {
        /// A name, an IPv4 address, or an IPv6 address without brackets.
        package var host: String
        /// 1 to 65535.
        package var port: Int

        /// An address of parts that are known to be valid.
        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// `HOST:PORT`.
        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// Who is asked.
    package enum Servers: Sendable, Hashable {
        /// One server.
        case server(Address)
        /// The master of that name, which 1 to 32 sentinels tell.
        case sentinels([Address], master: String)
    }

    /// As whom to ask; nil for whoever needs no password.
    package struct Account: Sendable, Equatable {
        /// Nil: the default user.
        package var username: String?
        /// Its password.
        package var password: Secret

        /// The account of a user.
        package init(username: String? = nil, password: Secret) {
            self.username = username
            self.password = password
        }
    }

    /// TLS, for the sentinels too. The server's name is always verified.
    package struct TLS: Sendable, Hashable {
        /// A PEM file with the authorities that are trusted (`ca`); nil: the system's.
        package var ca: String?
        /// A PEM file with the gateway's own certificate (`certificate`), where the server asks for one.
        package var certificate: String?
        /// A PEM file with that certificate's key (`private_key`).
        package var privateKey: String?

        /// The system's authorities, and no certificate.
        package init() {}
    }

    /// Who is asked.
    package var servers: Servers
    /// The number of the database, 0 to 2^31 - 1. Default: 0.
    package var database = 0
    /// As whom.
    package var account: Account?
    /// As whom the sentinels are asked.
    package var sentinelAccount: Account?
    /// Nil: without TLS.
    package var tls: TLS?
    /// What becomes of records that the store has lost.
    package var onLostStore = StoreLossPolicy.keep

    /// These servers, with the defaults for all else.
    package init(servers: Servers) {
        self.servers = servers
    }
}

/// What becomes of records that Redis does not hold any more although no entry removed them.
package enum StoreLossPolicy: String, Sendable, CaseIterable {
    /// The view keeps them until an operator decides.
    case keep
    /// The view gives them up.
    case accept
    /// They are written back.
    case restore
}

extension RedisLocation: CustomStringConvertible {
    /// The URL, without any password.
    package var description: String {
        let user = account.map { "\($0.username.map(Self.encoded) ?? ""):\($0.password)@" } ?? ""
        switch servers {
        case .server(let address):
            return "\(tls == nil ? "redis" : "rediss")://\(user)\(address)/\(database)"
        case .sentinels(let addresses, let master):
            let hosts = addresses.map(\.description).joined(separator: ",")
            return "\(tls == nil ? "redis" : "rediss")+sentinel://\(user)\(hosts)/\(master)/\(database)"
        }
    }

    /// A user as a URL can hold it.
    private static func encoded(_ user: String) -> String {
        String(decoding: PercentEncoding.encoded(user.utf8), as: UTF8.self)
    }
}
