package import GatewayCore

extension Configuration {
    /// One public listener (`listen[]`).
    package struct Listener: Sendable, Hashable {
        /// Where it listens (`address`).
        package var address: ListenAddress
        /// How it speaks TLS (`tls`). Default: nil, it does not.
        package var tls: ListenerTLS?
        /// Whether each connection has to begin with a PROXY header, version 1 or 2, which is believed (`proxy_protocol`).
        /// Default: false.
        package var proxyProtocol = false

        /// A listener at an address.
        package init(address: ListenAddress) {
            self.address = address
        }

        /// `https://ADDRESS` with TLS, else the address alone.
        package var description: String { tls == nil ? "\(address)" : "https://\(address)" }
    }

    /// How a listener speaks TLS (`listen[].tls`).
    package struct ListenerTLS: Sendable, Hashable {
        /// A certificate with its key.
        package struct Identity: Sendable, Hashable {
            /// The file of the certificate and of those between it and its authority, in PEM (`certificate`).
            package var certificate: String
            /// The file of the key, in PEM (`private_key`).
            package var privateKey: String
            /// Where it stands.
            package var location: SourceLocation

            /// A certificate with its key, as files.
            package init(certificate: String, privateKey: String, location: SourceLocation) {
                self.certificate = certificate
                self.privateKey = privateKey
                self.location = location
            }
        }

        /// Whether clients have to show a certificate.
        package enum ClientCertificates: String, Sendable, Hashable, CaseIterable {
            /// Who shows none is not served.
            case required
            /// Who shows none is served; one that does not verify ends the handshake nevertheless.
            case optional
        }

        /// The oldest version that is spoken.
        package enum MinimumVersion: String, Sendable, Hashable, CaseIterable {
            case version12 = "1.2"
            case version13 = "1.3"
        }

        /// The certificates, 1 to 65, each chosen by the names it has; the first where a client names no other (`certificate` and
        /// `private_key`, then `certificates`).
        package var identities: [Identity]
        /// The file of the authorities whose clients' certificates count, in PEM (`client_ca`). Default: nil, clients are not asked for one.
        package var clientCA: String?
        /// What is asked of clients where there is such a file (`client_certificates`). Default: required.
        package var clientCertificates = ClientCertificates.required
        /// The oldest version (`minimum_version`). Default: 1.2.
        package var minimumVersion = MinimumVersion.version12
        /// Where it stands.
        package var location: SourceLocation

        /// TLS with these certificates.
        package init(identities: [Identity], location: SourceLocation) {
            self.identities = identities
            self.location = location
        }
    }

    /// The fields by which a trusted proxy describes the client (`trusted_proxies[].sets`). All others are the client's own, and count for nothing.
    package struct ProxyFields: Sendable, Hashable {
        /// The field that names the client's address.
        package enum Address: Sendable, Hashable {
            /// `X-Forwarded-For`.
            case forwardedFor
            /// `Forwarded` (RFC 7239), also for the scheme.
            case forwarded
            /// A field with this name and one address.
            case single(String)
        }

        /// Nil: the proxy itself is the client.
        package var address: Address?
        /// Whether `X-Forwarded-Proto` counts.
        package var setsScheme = false

        /// No field.
        package init() {}
    }

    /// The fields that the proxies of one network set.
    package struct NetworkFields: Sendable, Hashable {
        /// The network as it is written.
        package var network: String
        /// The value of `sets`.
        package var fields: ProxyFields

        /// These fields of that network.
        package init(network: String, fields: ProxyFields) {
            self.network = network
            self.fields = fields
        }
    }

    /// Whose word on the client's address counts (`trusted_proxies`).
    package struct TrustedNetworks: Sendable, Hashable {
        /// Networks and addresses, in the order of the file.
        package var networks: [String] = []
        /// Whoever connects to a `unix:` listener.
        package var includesUnix = false
        /// The fields that the proxies of a network set (`sets`), in the order of the file. No network has two entries.
        package var fields: [NetworkFields] = []
        /// The same for `unix`.
        package var fieldsOfUnix: ProxyFields?

        /// Nobody.
        package init() {}

        /// Nobody's does.
        package var isEmpty: Bool { networks.isEmpty && !includesUnix }
    }
}
