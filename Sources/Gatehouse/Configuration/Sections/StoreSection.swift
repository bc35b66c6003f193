extension Configuration.StoreLocation {
    private static let laterSchemes = ["redis+sentinel", "rediss", "redis"]

    static func read(_ value: ConfigurationValue) -> Configuration.StoreLocation? {
        guard let text = value.string() else { return nil }
        if let scheme = laterSchemes.first(where: { text.hasPrefix("\($0):") }) {
            value.refuseAsLater("a \(scheme):// store")
            return nil
        }
        guard text.hasPrefix("sqlite:") else {
            return value.fail("store is of an unknown kind", "write sqlite:PATH or sqlite::memory:")
        }
        switch text.dropFirst("sqlite:".count) {
        case ":memory:": return .sqliteMemory
        case "": return value.fail("store names no file", "write sqlite:PATH")
        case let path where path.hasPrefix("//") || path.hasPrefix(":"):
            return value.fail(
                "store is not sqlite: and a path", "write sqlite:PATH, as in sqlite:/var/lib/gatehouse.db")
        case let path: return .sqlite(path: String(path))
        }
    }
}

extension Configuration.Revocation {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&maxStaleness, "max_staleness") { $0.duration(in: .seconds(1) ... .days(1)) }
        mapping.set(&strictTimeout, "strict_timeout") { $0.duration(in: .milliseconds(1) ... .seconds(10)) }
        guard let source = mapping.value("source"), let choice = source.choice(of: ["store", "firebase"]) else {
            return
        }
        if choice == "firebase" { source.refuseAsLater("revocation.source: firebase") }
    }
}
