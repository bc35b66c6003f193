package import GatewayCore

extension Configuration {
    /// A service behind the gateway (`upstreams`).
    package struct Upstream: Sendable, Hashable {
        /// Its name: letters, digits, `-`, `_`, `.`, at most 64.
        package var name: String
        /// Where it runs (`servers`), 1 to 256, none twice.
        package var servers: [UpstreamServer]
        /// How its `https://` servers are connected to (`tls`). Default: the system's authorities, no client certificate.
        package var tls = UpstreamTLSFiles()
        /// Which server a request goes to (`balance`). Default: `round_robin`.
        package var balance = Balance.roundRobin
        /// What a request's server is chosen by (`hash_on`), with `balance: hash` only.
        package var hashOn: HashKey?
        /// How long a connection may take to open, the TLS handshake included (`connect_timeout`), 1 ms to 5 min; also how long a
        /// request waits for a connection. Default: 2 s.
        package var connectTimeout = Duration.seconds(2)
        /// From the request's last byte to the first byte of the answer (`response_timeout`), 1 ms to 1 d. Default: 60
        /// s.
        package var responseTimeout = Duration.seconds(60)
        /// Open connections per worker, to all servers together (`connections`), 1 to 65,536. Default: 256.
        package var connections = 256
        /// Requests of one worker that wait for a connection (`pending`), 1 to 65,536. Default: 1024.
        package var pending = 1024
        /// How often names are resolved again (`resolve_every`), 1 s to 1 d. Default: 30 s.
        package var resolveEvery = Duration.seconds(30)
        /// The servers are asked whether they are well (`health`). Default: nil, they are not.
        package var health: HealthCheck?
        /// A server that fails is left out for a while (`ejection`). Nil: none is.
        package var ejection: Ejection? = Ejection()
        /// How long a server that came back takes to get its whole share (`slow_start`), 0 to 1 h. Default: 0, it gets it at once.
        package var slowStart = Duration.zero
        /// Which requests are sent once more (`retry`). Nil: none is.
        package var retry: Retry? = Retry()

        /// An upstream with the defaults of everything else.
        package init(name: String, servers: [UpstreamServer]) {
            self.name = name
            self.servers = servers
        }
    }

    /// One server of an upstream, spoken to in HTTP/1.1: `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`.
    package struct UpstreamServer: Sendable, Hashable, CustomStringConvertible {
        /// An IPv4 or IPv6 address without brackets, or a name; empty for a socket of this machine.
        package var host: String
        /// 1 to 65535; 0 for a socket of this machine.
        package var port: Int
        /// Whether it is reached over TLS.
        package var isSecure = false
        /// The path of a socket of this machine; nil: it is reached over TCP.
        package var path: String?
        /// Its share of the requests, beside the others' (`weight`), 1 to 256. Default: 1.
        package var weight = 1

        /// A server of parts that are known to be valid.
        package init(host: String, port: Int, isSecure: Bool = false, weight: Int = 1) {
            self.host = host
            self.port = port
            self.isSecure = isSecure
            self.weight = weight
        }

        /// A socket of this machine.
        package init(path: String, weight: Int = 1) {
            host = ""
            port = 0
            self.path = path
            self.weight = weight
        }

        /// `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`.
        package var description: String {
            if let path { return "unix:\(path)" }
            return "\(isSecure ? "https" : "http")://\(ListenAddress(host: host, port: port))"
        }
    }
}

extension Configuration.Upstream {
    /// How a server is chosen (`balance`).
    package enum Balance: String, Sendable, Hashable, CaseIterable {
        /// In turn, each as often as its weight says.
        case roundRobin = "round_robin"
        /// The one that serves the fewest requests for its weight.
        case leastRequests = "least_requests"
        /// By a value of the request: the same value, the same server, while it is there.
        case hash
    }

    /// The value that a server is chosen by (`hash_on`).
    package enum HashKey: Sendable, Hashable {
        case uid
        /// The client's address.
        case address
        /// A field of the request, by its name.
        case header(String)
    }

    /// The files of TLS to the servers (`tls`), each in PEM. Read when the snapshot is built.
    package struct UpstreamTLSFiles: Sendable, Hashable {
        /// The authorities that are trusted instead of the system's (`ca`).
        package var ca: String?
        /// The name that is asked for and that the certificate must bear (`server_name`). Default: nil, the URL's host.
        package var serverName: String?
        /// The client's certificate chain (`certificate`). Default: nil, none is shown.
        package var certificate: String?
        /// Its private key (`private_key`); there where the certificate is.
        package var privateKey: String?
        /// Where the section stands, or the servers.
        package var location = SourceLocation(origin: "upstreams")

        /// The system's authorities, no client certificate.
        package init() {}
    }

    /// Asking the servers whether they are well (`health`).
    package struct HealthCheck: Sendable, Hashable {
        /// What is asked for by GET (`path`): a path with a query, perhaps.
        package var path = "/healthz"
        /// From one check of a server to the next (`interval`), 100 ms to 1 h, a tenth more or less. Default: 5 s.
        package var interval = Duration.seconds(5)
        /// How long a check may take, connecting included (`timeout`), 1 ms to 1 min. Default: 2 s.
        package var timeout = Duration.seconds(2)
        /// After so many good answers in a row a server is well (`healthy`), 1 to 100. Default: 2.
        package var healthy = 2
        /// After so many failed checks in a row it is not (`unhealthy`), 1 to 100. Default: 3.
        package var unhealthy = 3
        /// The good statuses (`status`), 100 to 599. Default: 200 to 399.
        package var status: [ClosedRange<Int>] = [200...399]
        /// The `Host` of the check (`host`). Default: nil, the server's.
        package var host: String?

        /// A check with the defaults.
        package init() {}
    }

    /// Leaving out a server that fails (`ejection`).
    package struct Ejection: Sendable, Hashable {
        /// After so many failures in a row (`failures`), 1 to 1000. Default: 5.
        package var failures = 5
        /// For how long the first time (`time`), 100 ms to 1 d; each further time twice as long. Default: 10 s.
        package var time = Duration.seconds(10)
        /// At most that long (`max_time`). Default: 5 min.
        package var maxTime = Duration.seconds(300)
        /// At most that percentage of the servers are left out (`max_share`), 1 to 100. Default: 50.
        package var maxShare = 50

        /// With the defaults.
        package init() {}
    }

    /// Sending a request once more (`retry`): where its method is idempotent (RFC 9110 section 9.2.2), nothing of its body has been
    /// sent and nothing of an answer passed on.
    package struct Retry: Sendable, Hashable {
        /// What it is sent again after (`on`).
        package enum Reason: String, Sendable, Hashable, CaseIterable {
            /// The server could not be connected to. Nothing has been sent: any method.
            case connect
            /// The connection ended before an answer.
            case reset
            case status502 = "502"
            case status503 = "503"
            case status504 = "504"
            /// No answer within `response_timeout`.
            case timeout
        }

        /// Default: `connect` and `reset`.
        package var on: Set<Reason> = [.connect, .reset]
        /// How often a request is sent again (`attempts`), 1 to 5. Default: 1.
        package var attempts = 1
        /// The requests that are sent again, in percent of all (`budget`), 0 to 100; 3 a second of each worker always may. Default: 20.
        package var budget = 20

        /// With the defaults.
        package init() {}
    }
}
