internal import Gatehouse
internal import GatewayConfiguration
internal import GatewayCore
internal import WireFuzzTargets
internal import Yams

/// Configurations: every text gives errors with their locations, or a configuration that keeps its own rules.
///
/// The input is the text of a YAML file. Its environment and files are fixed and in memory.
public func fuzzConfiguration(_ input: UnsafeRawBufferPointer) {
    let bytes = [UInt8](input)
    let text = SourceLines(bytes)
    do throws(ConfigurationErrors) {
        let configuration = try load(bytes)
        for warning in configuration.warnings { text.check(warning.location, "\(warning.what) \(warning.remedy)") }
        require((try? load(bytes)) == configuration, "a text always means the same")
        ConfigurationProperties(configuration).check()
        checkSnapshot(configuration, text)
        checkHasNoReferences(bytes)
    } catch {
        check(error, text)
        if !error.errors.contains(where: \.isOfYAML) { checkHasNoReferences(bytes) }
    }
}

/// A value of the environment that is too long to occur by chance.
private let secret = "dnNlY3JldHZhbHVl"
private let environment = ["PORT": "8080", "EMPTY": "", "SECRET": secret, "NESTED": "${SECRET}", "LINES": "a\nb: c"]
private let files = ["token": [UInt8](secret.utf8), "/run/token": [UInt8](secret.utf8), "binary": [0xFF, 0x00]]

private func load(_ bytes: [UInt8]) throws(ConfigurationErrors) -> Configuration {
    try Configuration.load(bytes: bytes, file: "gatehouse.yaml", environment: environment, files: files)
}

/// A valid configuration can run, or the errors of its routes have a location in the file.
private func checkSnapshot(_ configuration: Configuration, _ text: SourceLines) {
    do throws(ConfigurationErrors) {
        _ = try Snapshot(configuration)
    } catch {
        check(error, text)
    }
}

private func check(_ errors: ConfigurationErrors, _ text: SourceLines) {
    require(!errors.errors.isEmpty, "a refusal has its reasons")
    require(errors.errors.count <= ConfigurationErrors.maximumCount, "the reasons are bounded")
    for error in errors.errors { text.check(error.location, "\(error.what) \(error.remedy)") }
}

/// The lines of an input, to check locations and messages.
private struct SourceLines {
    /// The number of scalars of each line.
    let lengths: [Int]
    let hasSecret: Bool

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        lengths = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(\.count)
        hasSecret = text.contains(secret)
    }

    func check(_ location: SourceLocation, _ message: String) {
        require(location.file == "gatehouse.yaml", "a message names the file")
        require((1...lengths.count + 1).contains(location.line), "a message's line is in the file")
        require(location.column >= 1, "a message's column is in the line")
        require(message.count < 2_000, "a message is short")
        require(
            message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "a message is one line")
        require(hasSecret || !message.contains(secret), "a message tells nothing of a secret")
    }
}

extension ConfigurationError {
    /// Whether the text is not YAML, or is YAML that no configuration may use.
    fileprivate var isOfYAML: Bool {
        [
            "are not allowed", "YAML", "UTF-8", "control character", "larger", "nested more", "values",
            "takes too long", "a key that is not a string",
        ].contains { what.contains($0) }
    }
}

/// Checks that a composed text has no anchors, which aliases could multiply.
private func checkHasNoReferences(_ bytes: [UInt8]) {
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard let text = String(validating: content, as: UTF8.self),
        let root = try? Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    else { return }
    check(root)
}

private func check(_ node: Node) {
    require(node.anchor == nil, "no anchor comes through")
    switch node {
    case .mapping(let mapping):
        for (key, value) in mapping {
            check(key)
            check(value)
        }
    case .sequence(let sequence): for element in sequence { check(element) }
    case .scalar, .alias: break
    }
}
