import GatewayCore

extension Configuration {
    /// The store of revocations and sessions (`store`).
    package enum StoreLocation: Sendable, Equatable, CustomStringConvertible {
        /// `sqlite:PATH`.
        case sqlite(path: String)
        /// `sqlite::memory:`, which ends with the process.
        case sqliteMemory
        /// `redis://`, `redis+sentinel://`, `redis+cluster://`, and the same with `rediss`.
        case redis(RedisLocation)

        /// Whether several gateways can have the store.
        package var isShared: Bool {
            if case .redis = self { true } else { false }
        }

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
                "write sqlite:PATH, redis://HOST, redis+sentinel://HOST,HOST/NAME or redis+cluster://HOST,HOST, with rediss for TLS"
            )
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

    /// The keys of passwords that change.
    private static let changing = ["password_file", "password_command", "credentials"]

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
        mapping?.set(&location.viewFile, "view_file") { $0.path() }
        if location.onLostStore == .restore { mapping?.refuse("view_file", "with on_lost_store: restore") }
        return location
    }

    private func account() -> RedisLocation.Account? {
        var (username, password) = (url.username, url.password)
        if username != nil { mapping?.refuse("username", "is also set by url", "remove one of them") }
        if password != nil { mapping?.refuse("password", "is also set by url", "remove one of them") }
        mapping?.set(&username, "username") { $0.string(atMost: 1_024) }
        mapping?.set(&password, "password") { $0.secret() }
        if let changing = changingPassword(password) {
            if case .issued(let issuer) = changing { check(issuer, username) }
            return RedisLocation.Account(username: username, password: changing)
        }
        return checked(password, of: username, "user", "password").map {
            RedisLocation.Account(username: username, password: $0)
        }
    }

    /// Reports what a managed service does not support.
    private func check(_ issuer: RedisLocation.TokenIssuer, _ username: String?) {
        if !url.isSecure {
            mapping?.refuse("credentials", "without TLS, which would show the token to the network", "write rediss://")
        }
        if case .sentinels = url.servers {
            mapping?.refuse("credentials", "with sentinels, which managed services do not have", "write rediss://HOST")
        }
        if let user = issuer.user {
            if username == nil {
                mapping?.refuse("credentials", "has \(issuer.key), but store has no username", "add username: \(user)")
            }
        } else if username != nil {
            mapping?.refuse(
                "credentials", "has \(issuer.key) beside a username", "remove username: it is always the default user")
        }
    }

    /// The password in a file, of a program or of a managed service. `nil` without one.
    private func changingPassword(_ password: Secret?) -> RedisLocation.Password? {
        if mapping?.value("password_command") == nil {
            mapping?.refuse("password_refresh", "without password_command", "remove it, or add password_command")
        }
        let keys = Self.changing.filter { mapping?.value($0) != nil }
        if password != nil || keys.count > 1 {
            for key in keys { mapping?.refuse(key, "is a second password", "remove one of them") }
            return nil
        }
        var (file, command, interval): (String?, [String]?, Duration) = (nil, nil, .seconds(600))
        var issuer: RedisLocation.TokenIssuer?
        mapping?.set(&file, "password_file") { $0.path() }
        mapping?.set(&command, "password_command") { $0.program() }
        mapping?.set(&interval, "password_refresh") { $0.duration(in: .seconds(1) ... .seconds(86_400)) }
        mapping?.set(&issuer, "credentials") { $0.tokenIssuer() }
        return file.map { .file($0) } ?? command.map { .command($0, every: interval) } ?? issuer.map { .issued(by: $0) }
    }

    private func sentinelAccount() -> RedisLocation.SentinelAccount? {
        guard case .sentinels = url.servers else {
            for key in ["sentinel_username", "sentinel_password"] { mapping?.refuse(key, "without sentinels") }
            return nil
        }
        var (username, password): (String?, Secret?) = (nil, nil)
        mapping?.set(&username, "sentinel_username") { $0.string(atMost: 1_024) }
        mapping?.set(&password, "sentinel_password") { $0.secret() }
        return checked(password, of: username, "user of the sentinels", "sentinel_password").map {
            RedisLocation.SentinelAccount(username: username, password: $0)
        }
    }

    /// Reports a user without a password.
    private func checked(_ password: Secret?, of username: String?, _ what: String, _ key: String) -> Secret? {
        if let password { return password }
        // An invalid key has already been reported.
        let isReported = ([key] + Self.changing).contains { mapping?.value($0) != nil }
        guard username != nil, !isReported else { return nil }
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

extension ConfigurationValue {
    /// The maximum number of arguments of a program.
    private static let maximumArguments = 64

    /// Returns the absolute path of a program and its arguments.
    fileprivate func program() -> [String]? {
        guard let elements = sequence() else { return nil }
        guard elements.count <= Self.maximumArguments else {
            return fail("\(name) has more than \(Self.maximumArguments) elements", "write a script")
        }
        let arguments = elements.compactMap { $0.string() }
        guard arguments.count == elements.count else { return nil }
        guard let program = arguments.first, program.hasPrefix("/") else {
            return fail("\(name) does not begin with an absolute path", "write [/PATH/OF/PROGRAM, ARGUMENT]")
        }
        return arguments
    }
}

extension MappingReader {
    /// Reports a key that is not permitted here.
    fileprivate func refuse(_ key: String, _ why: String, _ remedy: String = "remove it") {
        guard value(key) != nil else { return }
        fail(key, "store.\(key) \(why)", remedy)
    }
}
