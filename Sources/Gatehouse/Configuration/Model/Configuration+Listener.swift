extension Configuration {
    /// One public listener (`listen[]`).
    public struct Listener: Sendable, Hashable {
        /// Where it listens (`address`).
        public var address: ListenAddress
        /// How it speaks TLS (`tls`). Default: nil, it does not.
        public var tls: ListenerTLS?
        /// Whether each connection has to begin with a PROXY header, version 1 or 2, which is believed (`proxy_protocol`).
        /// Default: false.
        public var proxyProtocol = false

        /// A listener at an address.
        public init(address: ListenAddress) {
            self.address = address
        }

        /// `https://ADDRESS` with TLS, else the address alone.
        public var description: String { tls == nil ? "\(address)" : "https://\(address)" }
    }

    /// How a listener speaks TLS (`listen[].tls`).
    public struct ListenerTLS: Sendable, Hashable {
        /// A certificate with its key.
        public struct Identity: Sendable, Hashable {
            /// The file of the certificate and of those between it and its authority, in PEM (`certificate`).
            public var certificate: String
            /// The file of the key, in PEM (`private_key`).
            public var privateKey: String
            /// Where it stands.
            public var location: SourceLocation

            /// A certificate with its key, as files.
            public init(certificate: String, privateKey: String, location: SourceLocation) {
                self.certificate = certificate
                self.privateKey = privateKey
                self.location = location
            }
        }

        /// Whether clients have to show a certificate.
        public enum ClientCertificates: String, Sendable, Hashable, CaseIterable {
            /// Who shows none is not served.
            case required
            /// Who shows none is served; one that does not verify ends the handshake nevertheless.
            case optional
        }

        /// The oldest version that is spoken.
        public enum MinimumVersion: String, Sendable, Hashable, CaseIterable {
            case version12 = "1.2"
            case version13 = "1.3"
        }

        /// The certificates, 1 to 65, each chosen by the names it has; the first where a client names no other (`certificate` and
        /// `private_key`, then `certificates`).
        public var identities: [Identity]
        /// The file of the authorities whose clients' certificates count, in PEM (`client_ca`). Default: nil, clients are not asked for one.
        public var clientCA: String?
        /// What is asked of clients where there is such a file (`client_certificates`). Default: required.
        public var clientCertificates = ClientCertificates.required
        /// The oldest version (`minimum_version`). Default: 1.2.
        public var minimumVersion = MinimumVersion.version12
        /// Where it stands.
        public var location: SourceLocation

        /// TLS with these certificates.
        public init(identities: [Identity], location: SourceLocation) {
            self.identities = identities
            self.location = location
        }
    }

    /// The fields by which a trusted proxy describes the client (`trusted_proxies[].sets`). All others are the client's own, and count for nothing.
    public struct ProxyFields: Sendable, Hashable {
        /// The field that names the client's address.
        public enum Address: Sendable, Hashable {
            /// `X-Forwarded-For`.
            case forwardedFor
            /// `Forwarded` (RFC 7239), also for the scheme.
            case forwarded
            /// A field with this name and one address.
            case single(String)
        }

        /// Nil: the proxy itself is the client.
        public var address: Address?
        /// Whether `X-Forwarded-Proto` counts.
        public var setsScheme = false

        /// No field.
        public init() {}
    }

    /// The fields that the proxies of one network set.
    public struct NetworkFields: Sendable, Hashable {
        /// The network as it is written.
        public var network: String
        /// The value of `sets`.
        public var fields: ProxyFields

        /// These fields of that network.
        public init(network: String, fields: ProxyFields) {
            self.network = network
            self.fields = fields
        }
    }

    /// Whose word on the client's address counts (`trusted_proxies`).
    public struct TrustedNetworks: Sendable, Hashable {
        /// Networks and addresses, in the order of the file.
        public var networks: [String] = []
        /// Whoever connects to a `unix:` listener.
        public var includesUnix = false
        /// The fields that the proxies of a network set (`sets`), in the order of the file. No network has two entries.
        public var fields: [NetworkFields] = []
        /// The same for `unix`.
        public var fieldsOfUnix: ProxyFields?

        /// Nobody.
        public init() {}

        /// Nobody's does.
        public var isEmpty: Bool { networks.isEmpty && !includesUnix }
    }
}
