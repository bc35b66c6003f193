package import GatewayCore
import JOSE

/// The text of a configuration file: bounded, valid UTF-8, without control characters.
package struct SourceText {
    /// The maximum size of a configuration file: 1 MiB.
    package static let maximumSize = 1_048_576

    /// The file as passed to the loader.
    let file: String
    /// The scalars, without a byte order mark.
    let scalars: [Unicode.Scalar]
    /// The SHA-256 of the file.
    let digest: [UInt8]

    /// Checks a file's bytes.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        guard bytes.count <= Self.maximumSize else { throw Self.tooLarge(file) }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        self.file = file
        self.scalars = try Self.decode(content, file)
        self.digest = SHA256Hasher()?.hash(bytes)?.bytes ?? []
        try refuseControls()
    }

    /// Reads and checks a file.
    init(readingFile file: String) throws(ConfigurationError) {
        let bytes: [UInt8]
        do {
            bytes = try BoundedFile.read(file, atMost: Self.maximumSize, mayBePipe: !FileLedger.isOfReload)
        } catch {
            throw Self.failure(error, file)
        }
        try self.init(bytes, file: file)
    }

    private static func failure(_ failure: BoundedFile.Failure, _ file: String) -> ConfigurationError {
        guard case .unreadable(let reason) = failure else { return tooLarge(file) }
        guard failure.isMissing else {
            return ConfigurationError(
                location: SourceLocation(file: file, line: 1, column: 1), what: "the file cannot be read (\(reason))",
                remedy: "name a readable file with --config")
        }
        let places = file == Configuration.checkoutFile ? "it or \(Configuration.installedFile)" : "it"
        return MissingFile.error(
            file, kind: "configuration file", suffixes: [".yaml", ".yml"],
            creation:
                "create \(places), beginning with identity, upstreams and routes (docs/start/your-first-configuration.md), "
                + "or run without a file: gatehouse serve --firebase-project ID --upstream http://HOST:PORT")
    }

    private static func tooLarge(_ file: String) -> ConfigurationError {
        ConfigurationError(
            location: SourceLocation(file: file, line: 1, column: 1), what: "the file is larger than 1 MiB",
            remedy: "reduce its size")
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, _ file: String) throws(ConfigurationError)
        -> [Unicode.Scalar]
    {
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(bytes.count)
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): scalars.append(scalar)
            case .emptyInput: return scalars
            case .error:
                throw ConfigurationError(
                    location: location(ofIndex: scalars.count, in: scalars, file), what: "not valid UTF-8",
                    remedy: "save the file as UTF-8")
            }
        }
    }

    private func refuseControls() throws(ConfigurationError) {
        guard let index = scalars.indices.first(where: { Self.isRefused(scalars[$0]) || isBareReturn($0) }) else {
            return
        }
        let code = String(scalars[index].value, radix: 16, uppercase: true)
        throw ConfigurationError(
            location: Self.location(ofIndex: index, in: scalars, file), what: "control character U+\(code)",
            remedy: "remove it, or write it as an escape in double quotes")
    }

    /// Returns whether this is a CR without LF. YAML treats it as a line end but editors do not, so line numbers
    /// would differ.
    private func isBareReturn(_ index: Int) -> Bool {
        scalars[index] == "\r" && (index + 1 == scalars.count || scalars[index + 1] != "\n")
    }

    /// Returns whether the scalar is invalid in YAML, or a separator that only some programs treat as a line end.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: false
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }

    private static func location(ofIndex index: Int, in scalars: [Unicode.Scalar], _ file: String) -> SourceLocation {
        var line = 1
        var lineStart = 0
        for position in 0..<index where scalars[position] == "\n" {
            line += 1
            lineStart = position + 1
        }
        return SourceLocation(file: file, line: line, column: index - lineStart + 1)
    }
}
