extension RedisLocation {
    /// The service that issues the tokens with which gateways authenticate (`store.credentials`).
    package enum TokenIssuer: Sendable, Equatable {
        /// Signed requests for a cache at AWS (`aws_iam`).
        case aws(AWSCache)
        /// Access tokens of Google for the identity in a credential file (`google_iam`). Without a file, of the default
        /// credentials.
        case google(serviceAccount: String?)
        /// Access tokens of Microsoft Entra for a managed identity (`azure_entra`).
        ///
        /// - Parameter clientID: The client ID of a user-assigned identity. `nil` for the only identity of the machine.
        case azure(clientID: String?)
    }

    /// A cache at AWS for which tokens are signed.
    package struct AWSCache: Sendable, Equatable {
        /// The service of a cache, and its kind of resource.
        package enum Kind: Sendable, Equatable {
            /// A replication group of ElastiCache (`cache`).
            case replicationGroup
            /// A serverless cache of ElastiCache (`cache` with `serverless: true`).
            case serverless
            /// A cluster of MemoryDB (`cluster`).
            case memoryDB
        }

        package var kind: Kind
        /// The name in lower case, in which AWS keeps it. It is not a host name.
        package var name: String
        /// `nil` for the region of the environment or of the instance.
        package var region: String?

        /// Creates a cache.
        package init(_ kind: Kind, name: String, region: String? = nil) {
            (self.kind, self.name, self.region) = (kind, name, region)
        }
    }
}

extension RedisLocation.TokenIssuer {
    /// The key of the issuer in `store.credentials`.
    package var key: String {
        switch self {
        case .aws: "aws_iam"
        case .google: "google_iam"
        case .azure: "azure_entra"
        }
    }

    /// The meaning of `username` at the service. `nil` if it is always the default user.
    var user: String? {
        switch self {
        case .aws(let cache): "the ID of the user at \(cache.kind == .memoryDB ? "MemoryDB" : "ElastiCache")"
        case .google: nil
        case .azure: "the object ID of the managed identity"
        }
    }
}

// MARK: - Reading

extension ConfigurationValue {
    /// Returns the issuer of tokens in `store.credentials`.
    func tokenIssuer() -> RedisLocation.TokenIssuer? {
        guard let mapping = mapping(.storeCredentials) else { return nil }
        let keys = KnownKeys.storeCredentials.supported.filter { mapping.hasValue($0) }
        guard keys.count < 2 else {
            return fail("\(name) has \(keys.joined(separator: " and "))", "remove all but one")
        }
        // A mapping without a valid key has already been reported.
        guard let key = keys.first, let value = mapping.value(key) else { return nil }
        return switch key {
        case "aws_iam": value.awsCache().map { .aws($0) }
        case "google_iam": value.googleIssuer()
        default: value.azureIssuer()
        }
    }

    private func awsCache() -> RedisLocation.AWSCache? {
        guard let mapping = mapping(.awsIAM) else { return nil }
        var (cache, cluster, region): (String?, String?, String?)
        var isServerless = false
        mapping.set(&cache, "cache") { $0.cacheName() }
        mapping.set(&cluster, "cluster") { $0.cacheName() }
        mapping.set(&isServerless, "serverless") { $0.boolean() }
        mapping.set(&region, "region") { $0.awsRegion() }
        switch (mapping.hasValue("cache"), mapping.hasValue("cluster")) {
        case (true, true):
            return fail("\(name) has cache and cluster", "write cache for ElastiCache, or cluster for MemoryDB")
        case (false, false):
            return fail("\(name) has no name", "add cache: NAME for ElastiCache, or cluster: NAME for MemoryDB")
        case (false, true):
            if mapping.hasValue("serverless") {
                mapping.fail("serverless", "\(name).serverless without cache", "remove it: MemoryDB has no such caches")
            }
            return cluster.map { RedisLocation.AWSCache(.memoryDB, name: $0, region: region) }
        case (true, false):
            return cache.map {
                RedisLocation.AWSCache(isServerless ? .serverless : .replicationGroup, name: $0, region: region)
            }
        }
    }

    /// Returns the name of a cache: 1 to 40 letters, digits and hyphens. AWS keeps it in lower case.
    private func cacheName() -> String? {
        guard let text = string(atMost: 1_024) else { return nil }
        let isName = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
        }
        guard isName, text.utf8.count <= 40 else {
            return fail(
                "\(name) is \(shown), not the name of a cache",
                "write its name (1 to 40 letters, digits and hyphens), not the host of its endpoint")
        }
        return text.lowercased()
    }

    private func awsRegion() -> String? {
        guard let text = string(atMost: 1_024) else { return nil }
        let isRegion = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isRegion, text.utf8.count <= 64, text.contains("-") else {
            return fail("\(name) is \(shown), not a region", "write it as in eu-west-1")
        }
        return text
    }

    private func googleIssuer() -> RedisLocation.TokenIssuer? {
        guard let mapping = mapping(.googleIAM) else { return nil }
        var file: String?
        mapping.set(&file, "service_account") { $0.path() }
        return .google(serviceAccount: file)
    }

    private func azureIssuer() -> RedisLocation.TokenIssuer? {
        guard let mapping = mapping(.azureEntra) else { return nil }
        var client: String?
        mapping.set(&client, "client_id") { $0.clientID() }
        return .azure(clientID: client)
    }

    /// Returns the client ID of an identity at Entra: a UUID.
    private func clientID() -> String? {
        guard let text = string(atMost: 1_024) else { return nil }
        let isID = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20) || byte == UInt8(ascii: "-")
        }
        guard isID, text.utf8.count == 36 else {
            return fail("\(name) is \(shown), not a client ID", "write it as 00000000-0000-0000-0000-000000000000")
        }
        return text
    }
}
