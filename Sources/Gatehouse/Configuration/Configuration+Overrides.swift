extension Configuration {
    /// Listens at `HOST:PORT` alone, in place of what the file says, under the same checks.
    ///
    /// - Parameters:
    ///   - address: the text of the option.
    ///   - origin: what messages call it.
    /// - Throws: what is wrong with the address, or with this configuration at that address.
    public mutating func overrideListen(_ address: String, origin: String = "--listen") throws(ConfigurationErrors) {
        let parsed: ListenAddress
        do {
            parsed = try ListenAddress(parsing: address)
        } catch {
            throw ConfigurationErrors([Self.error(origin, error.what, error.remedy)])
        }
        let problems = problems(withListenerAt: parsed)
        guard problems.isEmpty else {
            throw ConfigurationErrors(problems.map { Self.error(origin, $0.what, $0.remedy) })
        }
        listen = [Listener(address: parsed)]
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
