package import GatewayCore
import TextCoding

extension Configuration {
    /// The listener for the decision of other proxies and services (`decisions`).
    package struct Decisions: Sendable, Hashable {
        /// The identity fields of a permitting response.
        package enum IdentityForm: String, Sendable, Hashable, CaseIterable {
            /// All fields except the one with the whole `auth` variable.
            case compact
            /// The fields that an upstream would receive.
            case full
        }

        /// The address, its TLS settings and protocols (`address`, `tls`, `protocols`). It has no PROXY header.
        package var listener: Listener
        /// The peers whose description of a request is trusted (`trust`). Default: none.
        package var trust = TrustedNetworks()
        /// The maximum number of open connections (`connections`), 2 to 100,000. Default: 1,024.
        package var connections = 1_024
        /// The identity fields of a permitting response (`identity`). Default: compact.
        package var identity = IdentityForm.compact
        /// The maximum size of the head of a permitting response (`response_size`), 1 KiB to 64 KiB. Default: 4 KiB.
        package var responseSize = 4_096
        /// Token introspection (`introspection`). Default: `nil`, disabled.
        package var introspection: Introspection?
        /// The location in the file.
        package var location: SourceLocation

        /// Creates the defaults.
        package init(listener: Listener, location: SourceLocation) {
            self.listener = listener
            self.location = location
        }
    }

    /// Token introspection for services (`decisions.introspection`; RFC 7662).
    package struct Introspection: Sendable, Hashable {
        /// A service that may query tokens.
        package struct Client: Sendable, Hashable {
            /// The identifier (`id`), 1 to 128 bytes of visible ASCII without `:`.
            package var id: String
            /// The proof of the client's identity.
            package var credential: Credential

            /// The credential of a client.
            package enum Credential: Sendable, Equatable {
                /// The secret (`secret`), for Basic and Bearer authentication.
                case secret(Secret)
                /// The name in its certificate (`certificate`), for mutual TLS (RFC 8705 section 2.1).
                case certificate(CertificateName)
            }

            /// Creates a client.
            package init(id: String, _ credential: Credential) {
                self.id = id
                self.credential = credential
            }

            /// Whether the client authenticates with a certificate.
            package var hasCertificate: Bool { if case .certificate = credential { true } else { false } }

            /// Hashes the identifier only.
            package func hash(into hasher: inout Hasher) { hasher.combine(id) }
        }

        /// The clients (`clients`), 1 to 64, with unique identifiers and credentials.
        package var clients: [Client] = []
        /// The maximum number of requests of each client per second (`requests_per_second`), 1 to 1,000,000. Default:
        /// 1,000.
        package var requestsPerSecond = 1_000

        /// Creates an introspection without clients.
        package init() {}
    }
}

extension MappingReader {
    /// Returns the listener for decisions. `nil` if it is not configured or has no valid address.
    func decisions() -> Configuration.Decisions? {
        guard let section = value("decisions"), let mapping = section.mapping(.decisions),
            let value = mapping.required("address", "add address: HOST:PORT or unix:PATH"),
            let address = value.listenAddress()
        else { return nil }
        var listener = Configuration.Listener(address: address)
        mapping.readProtocols(into: &listener)
        var decisions = Configuration.Decisions(listener: listener, location: value.location)
        mapping.set(&decisions.trust, "trust") { $0.networksOfAskers() }
        mapping.set(&decisions.connections, "connections") { $0.integer(in: 2...100_000) }
        mapping.set(&decisions.identity, "identity") { $0.choice() }
        mapping.set(&decisions.responseSize, "response_size") { $0.size(in: 1_024...65_536) }
        mapping.set(&decisions.introspection, "introspection") {
            $0.mapping(.introspection).flatMap(Configuration.Introspection.read)
        }
        decisions.check(mapping, at: location(of: "decisions"))
        return decisions
    }
}

extension Configuration.Decisions {
    fileprivate func check(_ mapping: MappingReader, at location: SourceLocation) {
        if trust.isEmpty, introspection == nil, mapping.value("introspection") == nil {
            mapping.context.fail(
                location, "decisions trusts no peer and has no introspection, so no request could succeed",
                "list the proxies in decisions.trust, as in trust: [127.0.0.1/32]")
        }
        if introspection?.clients.contains(where: \.hasCertificate) == true, listener.tls?.clientCA == nil {
            mapping.context.fail(
                location, "decisions.introspection has a client with a certificate, but decisions.tls has no client_ca",
                "add client_ca, the authority of the certificates of the services")
        }
        if introspection != nil, listener.tls == nil, !listener.address.isLoopback, listener.address.path == nil {
            mapping.warn(
                "introspection", "tokens and secrets are sent to \(listener.address) without encryption",
                "add decisions.tls, or listen on a loopback address")
        }
    }
}

extension Configuration.Introspection {
    private static let maximumClients = 64
    /// A shorter secret, in bytes, causes a warning.
    private static let goodSecretLength = 16

    fileprivate static func read(_ mapping: MappingReader) -> Configuration.Introspection? {
        var introspection = Configuration.Introspection()
        mapping.set(&introspection.requestsPerSecond, "requests_per_second") { $0.integer(in: 1...1_000_000) }
        guard let value = mapping.required("clients", "list the services with id and secret"),
            let elements = value.sequence().flatMap({ value.bounded($0, maximumClients) })
        else { return nil }
        guard !elements.isEmpty else {
            return value.fail("\(value.name) is empty", "list at least one service with id and secret")
        }
        for element in elements {
            guard let client = client(element) else { continue }
            if introspection.clients.contains(where: { $0.id == client.id || $0.credential == client.credential }) {
                element.context.fail(
                    element.location, "\(value.name) has two clients with the same id, secret or certificate",
                    "change one of them")
            } else if let other = introspection.clients.first(where: { areAmbiguous($0.id, client.id) }) {
                element.context.fail(
                    element.location,
                    "\(value.name) has the ids '\(other.id)' and '\(client.id)', one of which is the other in the encoding"
                        + " of forms", "change one of them")
            }
            introspection.clients.append(client)
        }
        return introspection
    }

    /// Returns whether a credential could name either of two clients, because clients encode their ids as in forms, or
    /// not at all.
    private static func areAmbiguous(_ one: String, _ other: String) -> Bool {
        FormEncoding.decodedText(one.utf8) == other || FormEncoding.decodedText(other.utf8) == one
    }

    private static func client(_ value: ConfigurationValue) -> Client? {
        guard let mapping = value.mapping(.introspectionClient),
            let id = mapping.required("id", "add the name of the service").flatMap(id)
        else { return nil }
        if let certificate = mapping.value("certificate") {
            let name = certificate.mapping(.introspectionCertificate).flatMap { certificateName($0, of: certificate) }
            guard mapping.value("secret") == nil else {
                return certificate.fail("\(value.name) has a secret and a certificate", "remove one of them")
            }
            return name.map { Client(id: id, .certificate($0)) }
        }
        let remedy = "add its secret, as in secret: ${INTROSPECTION_SECRET}, or the name in its certificate"
        return mapping.required("secret", remedy).flatMap(secret).map { Client(id: id, .secret($0)) }
    }

    /// Returns the name in a client's certificate.
    private static func certificateName(_ mapping: MappingReader, of value: ConfigurationValue) -> CertificateName? {
        let values = CertificateName.Kind.allCases.map { ($0, mapping.value($0.rawValue)) }
        let present = values.filter { $0.1 != nil }
        guard present.count == 1, let (kind, text) = present.first else {
            return value.fail(
                "\(value.name) has \(present.isEmpty ? "no name" : "two names")",
                "write dns: NAME or uri: URI, one of the subject alternative names of the certificate")
        }
        guard let text, let string = text.string(atMost: CertificateName.maximumLength) else { return nil }
        guard let name = CertificateName(kind, Array(string.utf8)),
            kind == .uri || !string.utf8.contains(UInt8(ascii: "*"))
        else {
            return text.fail(
                "\(text.name) is \(text.shown), not a name", "use visible ASCII, and no '*': each name is one service")
        }
        return name
    }

    private static func secret(_ secretValue: ConfigurationValue) -> Secret? {
        guard let secret = secretValue.secret() else { return nil }
        guard secret.withBytes({ $0.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) else {
            return secretValue.fail(
                "\(secretValue.name) has characters that are invalid in a header", "use visible ASCII without spaces")
        }
        if secret.count < goodSecretLength {
            secretValue.warn(
                "\(secretValue.name) has fewer than \(goodSecretLength) characters and may be guessed",
                "use a random one")
        }
        return secret
    }

    private static func id(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 128) else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }) else {
            return value.fail("\(value.name) is \(value.shown), not an id", "use visible ASCII without ':'")
        }
        return text
    }
}

extension ConfigurationValue {
    /// Returns the networks of proxies, and `unix`. The fields of each kind of proxy are fixed by its endpoint.
    fileprivate func networksOfAskers() -> Configuration.TrustedNetworks? {
        guard let networks = trustedNetworks() else { return nil }
        guard networks.fields.isEmpty, networks.fieldsOfUnix == nil else {
            return fail("\(name) has an entry with sets", "list networks only; each endpoint has its own fields")
        }
        return networks
    }
}
