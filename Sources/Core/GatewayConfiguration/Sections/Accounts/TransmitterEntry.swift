package import GatewayCore

extension Configuration {
    /// A transmitter of security events of the OpenID Shared Signals Framework (`accounts.transmitters.NAME`).
    package struct Transmitter: Sendable, Hashable {
        /// The users that its subjects name (`provider`).
        package enum Subjects: Sendable, Hashable {
            /// Users of the identity provider with this ID.
            case provider(String)
            /// Users of the first Firebase project, by their uid.
            case firebase
        }

        /// The effect of an event that only reports a changed risk.
        package enum RiskEffect: String, Sendable, Hashable, CaseIterable {
            case log
            /// The credentials of the user that were issued before the event are revoked.
            case revoke
        }

        /// The name in logs and metrics: 1 to 64 lower-case letters, digits and `-`.
        package var id: String
        /// The exact `iss` of its tokens (`issuer`), at most 1,024 bytes.
        package var issuer = ""
        /// The accepted `aud` values (`audiences`), 1 to 64.
        package var audiences: [String] = []
        /// The source of its keys.
        package var keys = Provider.Keys.url("")
        /// The users that its subjects name.
        package var subjects = Subjects.firebase
        /// The domains whose e-mail addresses it may name (`email_domains`), in lower case, at most 64. Default: none.
        package var emailDomains: [String] = []
        /// The required value of `Authorization` (`authorization`). `nil` if the field is not compared.
        package var authorization: Secret?
        /// The value of `Authorization` of calls of its management API by `gatehouse events`
        /// (`management_authorization`). `nil` if it is not called.
        package var managementAuthorization: Secret?
        /// The polling of its events (`poll`). `nil` if it delivers them.
        package var poll: Poll?
        /// The members of a complex subject that must be understood (`critical_subject_members`), at most 16.
        package var criticalMembers: [String] = []
        /// The effect of a decrease of the assurance level (`assurance_level_change`). Default: log.
        package var assuranceLevelChange = RiskEffect.log
        /// The effect of a device that does not comply any more (`device_compliance_change`). Default: log.
        package var deviceComplianceChange = RiskEffect.log
        /// The effect of a risk level above low (`risk_level_change`). Default: log.
        package var riskLevelChange = RiskEffect.log
        /// The maximum number of events per second on each gateway (`events_per_second`), 1 to 10,000. Default: 100.
        package var eventsPerSecond = 100
        /// The maximum number of records of users unknown to the store that its events may add (`unknown_users`), 1 to
        /// 1,000,000. Default: 10,000.
        package var unknownUsers = 10_000
        /// Whether changes by its events are written back to Firebase, if `revocation.write_back` is on (`write_back`).
        /// Default: false.
        package var writeBack = false
        /// Whether URLs may be `http://` to a host other than loopback (`insecure_http`). Default: false.
        package var insecureHTTP = false
        /// The location in the file.
        package var location: SourceLocation

        /// Creates a transmitter without an issuer and audiences.
        package init(id: String, location: SourceLocation) {
            self.id = id
            self.location = location
        }
    }
}

extension Configuration.Transmitter {
    /// The maximum number of transmitters.
    private static let maximum = 16
    private static let firebase = "firebase"
    /// The provider whose `sub` differs between applications, so that a transmitter cannot name its users.
    private static let pairwise = Configuration.Provider.Kind.microsoft.rawValue

    /// Reads `accounts.transmitters`.
    static func all(_ value: ConfigurationValue, _ identity: Configuration.Identity) -> [Self]? {
        guard let entries = value.entries().flatMap({ value.bounded($0, maximum) }) else { return nil }
        var transmitters: [Self] = []
        for entry in entries {
            guard let transmitter = read(entry, identity) else { continue }
            if let other = transmitters.first(where: { $0.issuer.utf8.elementsEqual(transmitter.issuer.utf8) }) {
                entry.fail(
                    "\(entry.value.name) has the issuer of \(Quoted(other.id))",
                    "remove one of them; the issuer of an event selects its transmitter")
            }
            transmitters.append(transmitter)
        }
        return transmitters
    }

    private static func read(_ entry: MappingEntry, _ identity: Configuration.Identity) -> Self? {
        guard isName(entry.key) else {
            entry.fail(
                "\(Quoted(entry.key)) is not a name", "write up to 64 lower-case letters, digits and '-', as in okta")
            return nil
        }
        guard let mapping = entry.value.mapping(.transmitter) else { return nil }
        var transmitter = Self(id: entry.key, location: entry.keyLocation)
        transmitter.readTokens(ProviderReader(mapping, name: entry.value.name))
        transmitter.readSubjects(mapping, identity)
        mapping.set(&transmitter.authorization, "authorization") { $0.secret() }
        mapping.set(&transmitter.managementAuthorization, "management_authorization") { $0.secret() }
        let allowsPlainHTTP = transmitter.insecureHTTP
        mapping.set(&transmitter.poll, "poll") { value in
            value.mapping(.poll).flatMap { Configuration.Poll.read($0, allowsPlainHTTP: allowsPlainHTTP) }
        }
        mapping.set(&transmitter.assuranceLevelChange, "assurance_level_change") { $0.choice() }
        mapping.set(&transmitter.deviceComplianceChange, "device_compliance_change") { $0.choice() }
        mapping.set(&transmitter.riskLevelChange, "risk_level_change") { $0.choice() }
        mapping.set(&transmitter.eventsPerSecond, "events_per_second") { $0.integer(in: 1...10_000) }
        mapping.set(&transmitter.unknownUsers, "unknown_users") { $0.integer(in: 1...1_000_000) }
        mapping.set(&transmitter.writeBack, "write_back") { $0.boolean() }
        return transmitter
    }

    /// Reads the issuer, the audiences and the source of the keys.
    private mutating func readTokens(_ reader: ProviderReader) {
        insecureHTTP = reader.insecureHTTP
        _ = reader.mapping.required("issuer", "add issuer: https://HOST, the 'iss' of its tokens")
        issuer = reader.issuer() ?? ""
        audiences = reader.audiences(
            "add audiences: [ID], the 'aud' that the transmitter has for this receiver", hasFlow: false)
        if let url = reader.url("keys_url", .replacedKeys) {
            keys = .url(url)
            reader.refuse(["discovery_url"], "has no effect together with keys_url", "remove one of them")
        } else {
            let discovery = reader.url("discovery_url", .replacedKeys) ?? Self.discoveryURL(of: issuer)
            keys = .discovery(url: discovery, issuer: issuer)
        }
        reader.warn(ofCalls: false)
    }

    private mutating func readSubjects(_ mapping: MappingReader, _ identity: Configuration.Identity) {
        if let value = mapping.required("provider", "add provider: ID of identity.providers, or firebase"),
            let subjects = Self.subjects(value, identity)
        {
            self.subjects = subjects
        }
        mapping.set(&emailDomains, "email_domains") { $0.oneOrList(atMost: 64, of: "domains", Self.domain) }
        mapping.set(&criticalMembers, "critical_subject_members") { value in
            value.oneOrList(atMost: 16, of: "members") { $0.string(atMost: 64) }
        }
    }

    private static func subjects(_ value: ConfigurationValue, _ identity: Configuration.Identity) -> Subjects? {
        guard let id = value.string(atMost: 128) else { return nil }
        if id == firebase {
            guard let project = identity.firebase else {
                return value.fail("\(value.name) is firebase, but identity.firebase is absent", "add it")
            }
            guard !project.tenant.isSeveral else {
                return value.fail(
                    "\(value.name) is firebase, but identity.firebase.tenant accepts several tenants, and subjects name none",
                    "configure one tenant, or none")
            }
            return .firebase
        }
        let ids = identity.providers.map(\.id)
        guard ids.contains(id) else {
            let remedy = Spelling.suggestion(for: id, among: ids + [firebase]).map { "did you mean '\($0)'?" }
            return value.fail(
                "\(value.name) is \(value.shown), which is not in identity.providers",
                remedy ?? "write one of \((ids + [firebase]).joined(separator: ", "))")
        }
        guard id != pairwise else {
            return value.fail(
                "\(value.name) cannot be \(id), whose 'sub' differs between applications", "write another provider")
        }
        return .provider(id)
    }

    /// Returns a domain in lower case, without a wildcard.
    private static func domain(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 253) else { return nil }
        let domain = text.lowercased()
        guard domain.utf8.contains(UInt8(ascii: ".")), domain.utf8.first != UInt8(ascii: "."),
            domain.utf8.last != UInt8(ascii: "."), domain.utf8.allSatisfy(isDomainByte)
        else {
            return value.fail("\(value.name) is \(value.shown), not a domain", "write a domain, as in example.com")
        }
        return domain
    }

    private static func isDomainByte(_ byte: UInt8) -> Bool {
        isNameByte(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }

    /// The URL of its metadata.
    package var metadataURL: String {
        if case .discovery(let url, _) = keys { return url }
        return Self.discoveryURL(of: issuer)
    }

    /// Returns the URL of the transmitter's metadata: the well-known path is inserted between the host and the path of
    /// the issuer (OpenID Shared Signals Framework 1.0 section 7.1).
    static func discoveryURL(of issuer: String) -> String {
        let bytes = issuer.utf8
        guard let scheme = issuer.firstRange(of: "://") else { return issuer }
        let end = bytes[scheme.upperBound...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        var path = issuer[end...]
        if path.utf8.last == UInt8(ascii: "/") { path = path.dropLast() }
        return "\(issuer[..<end])/.well-known/ssf-configuration\(path)"
    }
}

extension KnownKeys {
    static let transmitter = KnownKeys(
        "accounts.transmitters.*",
        [
            "issuer", "audiences", "keys_url", "discovery_url", "provider", "email_domains", "authorization",
            "management_authorization", "poll", "critical_subject_members", "assurance_level_change",
            "device_compliance_change",
            "risk_level_change",
            "events_per_second", "unknown_users", "write_back", "insecure_http",
        ])
}
