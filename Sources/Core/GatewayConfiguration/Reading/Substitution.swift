import GatewayCore

/// Substitution of `${NAME}`, `${NAME:-default}`, `${file:PATH}` and `${credential:NAME}` in a text, without recursion.
/// `$${` is a literal `${`.
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
        if reference.hasPrefix("credential:") { return try credential(String(reference.dropFirst(11))) }
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
                remedy: "write ${NAME}, ${NAME:-default}, ${file:PATH} or ${credential:NAME}")
        }
        return name
    }

    private func content(ofFile path: String) throws(Failure) -> String {
        guard !path.isEmpty else { throw Failure(what: "${file:} without a path", remedy: "write ${file:PATH}") }
        return try content(
            of: path, named: "the file \(Quoted(path))",
            orElse: "paths are relative to the directory of the configuration file")
    }

    /// The maximum size of a credential's name, in bytes: that of a file name.
    private static let longestCredential = 255

    /// Returns a credential of the service, which systemd.exec(5) defines: a file in `$CREDENTIALS_DIRECTORY`.
    private func credential(_ name: String) throws(Failure) -> String {
        guard Self.isCredential(name) else {
            throw Failure(
                what: "\(Quoted(name)) is not the name of a credential",
                remedy: "write ${credential:NAME} with the name of LoadCredential=, without '/' and ':'")
        }
        guard let folder = environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/") else {
            throw Failure(
                what: "the credential \(Quoted(name)) is not available, since CREDENTIALS_DIRECTORY is not set",
                remedy: "start the command as a service with LoadCredential=, or set the variable to an absolute path")
        }
        return try content(
            of: "\(folder)/\(name)", named: "the credential \(Quoted(name))",
            orElse: "pass it to the service with LoadCredential=")
    }

    /// Whether the text is the name of a file in the folder of the credentials: printable ASCII without `/` and `:`, as
    /// systemd requires.
    private static func isCredential(_ name: String) -> Bool {
        name != "." && name != ".." && (1...longestCredential).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
            }
    }

    /// Returns the text of a file without its last newline.
    ///
    /// - Parameters:
    ///   - name: The name of the file in messages.
    ///   - remedy: The remedy if the file cannot be read.
    private func content(
        of path: String, named name: String, orElse remedy: String
    ) throws(Failure) -> String {
        let bytes: [UInt8]
        do {
            bytes = try read(path)
        } catch {
            throw Self.failure(error, name, remedy)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(what: "\(name) is not valid UTF-8", remedy: "save it as UTF-8")
        }
        let content = Self.withoutTrailingNewline(text)
        guard !content.isEmpty else {
            throw Failure(what: "\(name) is empty", remedy: "write the value into it")
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

    private static func failure(_ failure: BoundedFile.Failure, _ name: String, _ remedy: String) -> Failure {
        switch failure {
        case .tooLarge: Failure(what: "\(name) is larger than 64 KiB", remedy: "use a smaller file")
        case .unreadable(let reason): Failure(what: "\(name) cannot be read (\(reason))", remedy: remedy)
        }
    }

    private static func withoutTrailingNewline(_ text: String) -> String {
        text.last?.isNewline == true ? String(text.dropLast()) : text
    }
}
