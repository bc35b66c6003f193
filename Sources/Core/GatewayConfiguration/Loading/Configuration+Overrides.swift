package import GatewayCore

extension Configuration {
    /// Listens at `HOST:PORT` alone, in place of what the file says, under the same checks.
    ///
    /// - Parameters:
    ///   - address: the text of the option.
    ///   - origin: what messages call it.
    /// - Throws: what is wrong with the address, or with this configuration at that address.
    package mutating func overrideListen(_ address: String, origin: String = "--listen") throws(ConfigurationErrors) {
        let parsed = try Self.parse(address, origin)
        let problems = problems(withListenerAt: parsed)
        guard problems.isEmpty else {
            throw ConfigurationErrors(problems.map { Self.error(origin, $0.what, $0.remedy) })
        }
        // What a listener speaks stays: a certificate must not be lost on the way to another port.
        var listener = listen.first ?? Listener(address: parsed)
        listener.address = parsed
        listen = [listener]
    }

    /// Has the admin listener at `HOST:PORT`, or none for `off`, in place of what the file says.
    ///
    /// - Throws: what is wrong with the address, or with this configuration at that address.
    package mutating func overrideAdmin(_ address: String, origin: String = "--admin") throws(ConfigurationErrors) {
        guard address != "off" else { return admin.address = nil }
        let parsed = try Self.parse(address, origin)
        guard parsed.path == nil else {
            throw ConfigurationErrors([Self.error(origin, "a unix: address", "write HOST:PORT")])
        }
        guard !listen.contains(where: { parsed.overlaps($0.address) }) else {
            throw ConfigurationErrors([Self.error(origin, "a listener has the same address", "use another port")])
        }
        admin.address = parsed
    }

    private static func parse(_ address: String, _ origin: String) throws(ConfigurationErrors) -> ListenAddress {
        do {
            return try ListenAddress(parsing: address)
        } catch {
            throw ConfigurationErrors([Self.error(origin, error.what, error.remedy)])
        }
    }

    /// What speaks against a listener at that address, in view of everything else.
    func problems(withListenerAt address: ListenAddress) -> [(what: String, remedy: String)] {
        var problems: [(what: String, remedy: String)] = []
        if identity.firebase?.insecureEmulator == true && !address.isLoopback {
            problems.append(
                (
                    "insecure_emulator with a listener that other machines reach",
                    "listen on 127.0.0.1, or remove insecure_emulator"
                ))
        }
        if let admin = admin.address, admin.overlaps(address) {
            problems.append(
                ("the admin listener has the same address", "give admin.address (\(admin)) another port"))
        }
        return problems
    }

    private static func error(_ origin: String, _ what: String, _ remedy: String) -> ConfigurationError {
        ConfigurationError(location: SourceLocation(origin: origin), what: what, remedy: remedy)
    }
}
