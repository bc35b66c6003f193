import GatewayCore

/// Substitution of `${NAME}`, `${NAME:-default}` and `${file:PATH}` in a text, without recursion. `$${` is a literal
/// `${`.
package struct Substitution {
    /// The maximum size of a file, and of a text after substitution: 64 KiB.
    static let maximumSize = 65_536

    /// The reason that a substitution failed.
    struct Failure: Error {
        let what: String
        let remedy: String
    }

    package let environment: [String: String]
    /// The base of relative paths: the configuration file's directory.
    package let directory: String
    /// Files that replace the file system, by path as written. `nil` for the file system.
    var files: [String: [UInt8]]?
    /// Whether substitution is disabled, so that `${` is ordinary text.
    package var isOff = false

    package init(environment: [String: String], directory: String, files: [String: [UInt8]]? = nil, isOff: Bool = false)
    {
        self.environment = environment
        self.directory = directory
        self.files = files
        self.isOff = isOff
    }

    /// Returns whether the text contains a reference.
    func isNeeded(in text: String) -> Bool {
        !isOff && text.contains("${")
    }

    /// Returns whether the text is only `${NAME:-null}` and the variable is unset or empty. It is then an explicit
    /// null.
    func isNullByDefault(_ text: String) -> Bool {
        guard !isOff, text.hasPrefix("${"), text.hasSuffix(":-null}") else { return false }
        let name = String(text.dropFirst(2).dropLast(7))
        return Self.isName(name) && environment[name, default: ""].isEmpty
    }

    /// Returns the text with all references replaced.
    func expand(_ text: String) throws(Failure) -> String {
        var result = ""
        var rest = Substring(text)
        while let dollar = rest.firstRange(of: "${") {
            let literal = rest[..<dollar.lowerBound]
            rest = rest[dollar.upperBound...]
            if literal.last == "$" {
                result += literal.dropLast() + "${"
                continue
            }
            result += literal
            guard let end = rest.firstIndex(of: "}") else {
                throw Failure(what: "'${' without '}'", remedy: "close it, or write $${ for a literal ${")
            }
            result += try value(of: String(rest[..<end]))
            rest = rest[rest.index(after: end)...]
            guard result.utf8.count <= Self.maximumSize else {
                throw Failure(what: "longer than 64 KiB after substitution", remedy: "shorten it")
            }
        }
        return result + rest
    }

    private func value(of reference: String) throws(Failure) -> String {
        if reference.contains("${") {
            throw Failure(what: "nested '${'", remedy: "use one variable for the whole value")
        }
        if reference.hasPrefix("file:") { return try content(ofFile: String(reference.dropFirst(5))) }
        guard let separator = reference.firstRange(of: ":-") else { return try variable(reference) }
        let name = try checked(name: String(reference[..<separator.lowerBound]))
        guard let value = environment[name], !value.isEmpty else { return String(reference[separator.upperBound...]) }
        return value
    }

    private func variable(_ reference: String) throws(Failure) -> String {
        let name = try checked(name: reference)
        guard let value = environment[name] else {
            throw Failure(
                what: "the environment variable \(name) is not set",
                remedy: "set it, or write ${\(name):-default}")
        }
        guard !value.isEmpty else {
            throw Failure(
                what: "the environment variable \(name) is empty", remedy: "set it, or write ${\(name):-default}")
        }
        return value
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.first.map(ClaimPathParser.beginsName) ?? false && text.utf8.allSatisfy(ClaimPathParser.continuesName)
    }

    private func checked(name: String) throws(Failure) -> String {
        guard Self.isName(name) else {
            throw Failure(
                what: "\(Quoted(name)) is not a variable name",
                remedy: "write ${NAME}, ${NAME:-default} or ${file:PATH}")
        }
        return name
    }

    private func content(ofFile path: String) throws(Failure) -> String {
        guard !path.isEmpty else { throw Failure(what: "${file:} without a path", remedy: "write ${file:PATH}") }
        let bytes: [UInt8]
        do {
            bytes = try read(path)
        } catch {
            throw Self.failure(error, path)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(what: "the file \(Quoted(path)) is not valid UTF-8", remedy: "save it as UTF-8")
        }
        let content = Self.withoutTrailingNewline(text)
        guard !content.isEmpty else {
            throw Failure(what: "the file \(Quoted(path)) is empty", remedy: "write the value into it")
        }
        return content
    }

    private func read(_ path: String) throws(BoundedFile.Failure) -> [UInt8] {
        guard let files else {
            return try BoundedFile.read(path.hasPrefix("/") ? path : "\(directory)/\(path)", atMost: Self.maximumSize)
        }
        guard let bytes = files[path] else { throw .unreadable("not one of the available files") }
        return bytes
    }

    private static func failure(_ failure: BoundedFile.Failure, _ path: String) -> Failure {
        switch failure {
        case .tooLarge:
            Failure(what: "the file \(Quoted(path)) is larger than 64 KiB", remedy: "use a smaller file")
        case .unreadable(let reason):
            Failure(
                what: "the file \(Quoted(path)) cannot be read (\(reason))",
                remedy: "paths are relative to the directory of the configuration file")
        }
    }

    private static func withoutTrailingNewline(_ text: String) -> String {
        text.last?.isNewline == true ? String(text.dropLast()) : text
    }
}
