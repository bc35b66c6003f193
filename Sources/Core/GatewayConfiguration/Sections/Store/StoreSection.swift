import GatewayCore

extension Configuration {
    /// The store of revocations and sessions (`store`).
    package enum StoreLocation: Sendable, Equatable, CustomStringConvertible {
        /// `sqlite:PATH`.
        case sqlite(path: String)
        /// `sqlite::memory:`, which ends with the process.
        case sqliteMemory
        /// `redis://`, `rediss://`, `redis+sentinel://` or `rediss+sentinel://`.
        case redis(RedisLocation)

        /// The value without passwords.
        package var description: String {
            switch self {
            case .sqlite(let path): "sqlite:\(path)"
            case .sqliteMemory: "sqlite::memory:"
            case .redis(let location): location.description
            }
        }
    }
}

extension Configuration.StoreLocation {
    /// Reads a text, or a mapping with the text as its `url`.
    static func read(_ value: ConfigurationValue) -> Configuration.StoreLocation? {
        guard case .mapping = value.content else { return read(value, nil) }
        guard let mapping = value.mapping(.store), let url = mapping.required("url", "add url: redis://HOST")
        else { return nil }
        return read(url, mapping)
    }

    private static func read(_ url: ConfigurationValue, _ mapping: MappingReader?) -> Configuration.StoreLocation? {
        guard let text = url.string() else { return nil }
        if RedisURL.isMeant(by: text) {
            do {
                return .redis(RedisStoreReader(try RedisURL(parsing: text), at: url, mapping).location())
            } catch {
                return url.fail("\(url.name) has \(error.what)", error.remedy)
            }
        }
        for key in KnownKeys.store.supported where key != "url" {
            mapping?.refuse(key, "requires a Redis store")
        }
        return sqlite(text, url)
    }

    private static func sqlite(_ text: String, _ url: ConfigurationValue) -> Configuration.StoreLocation? {
        guard text.hasPrefix("sqlite:") else {
            return url.fail(
                "\(url.name) is of an unknown kind",
                "write sqlite:PATH, redis://HOST or redis+sentinel://HOST,HOST/NAME, with rediss for TLS")
        }
        switch text.dropFirst("sqlite:".count) {
        case ":memory:": return .sqliteMemory
        case "": return url.fail("\(url.name) has no file path", "write sqlite:PATH")
        case let path where path.hasPrefix("//") || path.hasPrefix(":"):
            return url.fail(
                "\(url.name) is not sqlite: followed by a path", "write sqlite:PATH, as in sqlite:/var/lib/gatehouse.db"
            )
        case let path:
            return .sqlite(
                path: url.context.path(String(path), of: url.name, at: url.location, after: "sqlite:", for: .store))
        }
    }
}

/// A reader of the keys next to `url` for Redis.
private struct RedisStoreReader {
    let url: RedisURL
    /// The location of the URL.
    let place: ConfigurationValue
    /// `nil` if there is only the URL.
    let mapping: MappingReader?

    init(_ url: RedisURL, at place: ConfigurationValue, _ mapping: MappingReader?) {
        self.url = url
        self.place = place
        self.mapping = mapping
    }

    func location() -> RedisLocation {
        var location = RedisLocation(servers: url.servers)
        location.database = url.database
        location.account = account()
        location.sentinelAccount = sentinelAccount()
        location.tls = tls()
        mapping?.set(&location.onLostStore, "on_lost_store") { $0.choice() }
        return location
    }

    private func account() -> RedisLocation.Account? {
        var (username, password) = (url.username, url.password)
        if username != nil { mapping?.refuse("username", "is also set by url", "remove one of them") }
        if password != nil { mapping?.refuse("password", "is also set by url", "remove one of them") }
        mapping?.set(&username, "username") { $0.string(atMost: 1_024) }
        mapping?.set(&password, "password") { $0.secret() }
        return account(username, password, "user", "password")
    }

    private func sentinelAccount() -> RedisLocation.Account? {
        guard case .sentinels = url.servers else {
            for key in ["sentinel_username", "sentinel_password"] { mapping?.refuse(key, "without sentinels") }
            return nil
        }
        var (username, password): (String?, Secret?) = (nil, nil)
        mapping?.set(&username, "sentinel_username") { $0.string(atMost: 1_024) }
        mapping?.set(&password, "sentinel_password") { $0.secret() }
        return account(username, password, "user of the sentinels", "sentinel_password")
    }

    private func account(
        _ username: String?, _ password: Secret?, _ what: String, _ key: String
    ) -> RedisLocation.Account? {
        if let password { return RedisLocation.Account(username: username, password: password) }
        // An invalid key has already been reported.
        guard username != nil, mapping?.value(key) == nil else { return nil }
        return place.fail(
            "store has a \(what) but no password", "add \(key): ${NAME}; a `nopass` user accepts any password")
    }

    private func tls() -> RedisLocation.TLS? {
        guard url.isSecure else {
            for key in ["ca", "certificate", "private_key"] {
                mapping?.refuse(key, "without TLS", "write rediss:// or remove it")
            }
            return nil
        }
        var tls = RedisLocation.TLS()
        mapping?.set(&tls.ca, "ca") { $0.path() }
        mapping?.set(&tls.certificate, "certificate") { $0.path() }
        mapping?.set(&tls.privateKey, "private_key") { $0.path() }
        for (key, other) in [("certificate", "private_key"), ("private_key", "certificate")]
        where mapping?.value(other) == nil {
            mapping?.refuse(key, "without \(other)", "add \(other): FILE")
        }
        return tls
    }
}

extension MappingReader {
    /// Reports a key that is not permitted here.
    fileprivate func refuse(_ key: String, _ why: String, _ remedy: String = "remove it") {
        guard value(key) != nil else { return }
        fail(key, "store.\(key) \(why)", remedy)
    }
}
