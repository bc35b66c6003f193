import GatewayCore

extension Configuration.Identity {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&clockSkew, "clock_skew") { $0.duration(in: .zero ... .seconds(60)) }
        mapping.set(&firebase, "firebase") { $0.mapping(.firebase).flatMap(Configuration.Firebase.init) }
        mapping.set(&providers, "providers", Self.providers)
        checkIssuers(mapping.context)
        mapping.set(&keys, "keys") { $0.mapping(.keys).map(Configuration.KeyPolicy.init) }
        mapping.set(&credentials, "credentials") { $0.mapping(.credentials).map(Configuration.Credentials.init) }
    }
}

extension Configuration.KeyPolicy {
    init(_ mapping: MappingReader) {
        self.init()
        let lifetimes = Duration.milliseconds(100)...Duration.days(30)
        mapping.set(&minTTL, "min_ttl") { $0.duration(in: lifetimes) }
        mapping.set(&maxTTL, "max_ttl") { $0.duration(in: lifetimes) }
        mapping.set(&refreshAt, "refresh_at") { $0.number(in: 0.1...1) }
        mapping.set(&staleFor, "stale_for") { $0.duration(in: .zero ... .days(30)) }
        mapping.set(&unknownKeyCooldown, "unknown_key_cooldown") {
            $0.duration(in: .milliseconds(100) ... .hours(1))
        }
        if minTTL > maxTTL {
            mapping.context.fail(
                mapping.location(of: "min_ttl"), "identity.keys.min_ttl is greater than max_ttl",
                "make min_ttl smaller or max_ttl (now \(DurationText.write(maxTTL))) greater")
        }
    }
}

extension Configuration.Credentials {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&header, "header") { Self.header($0) }
        mapping.set(&cookie, "cookie") { Self.cookie($0) }
    }

    private static func header(_ value: ConfigurationValue) -> String? {
        guard let name = value.string() else { return nil }
        guard FieldName.isValid(name) else {
            return value.fail("\(value.name) is \(value.shown), not a field name", "write a name as in Authorization")
        }
        let normalized = FieldName.normalized(name)
        guard !FieldName.belongsToConnection(normalized), normalized != "cookie" else {
            return value.fail("\(value.name) cannot be \(value.shown)", "write Authorization or a name of your own")
        }
        return name
    }

    private static func cookie(_ value: ConfigurationValue) -> String? {
        guard let name = value.string() else { return nil }
        guard FieldName.isValid(name) else {
            return value.fail("\(value.name) is \(value.shown), not a cookie's name", "write a name as in __session")
        }
        return name
    }
}
