extension Configuration.Log {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&level, "level") { $0.choice(of: Self.levels) }
        mapping.set(&access, "access") { Self.access($0) }
    }

    private static func access(_ value: ConfigurationValue) -> Configuration.AccessLogTarget? {
        guard let text = value.string() else { return nil }
        switch text {
        case "stdout": return .standardOutput
        case "off": return .off
        case let path where path.contains("/"): return .file(path: path)
        default:
            return value.fail(
                "log.access is \(value.shown), no place for a log", "write stdout, off, or a path with a '/'")
        }
    }
}
