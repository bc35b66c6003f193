import Foundation
package import GatewayCore

/// The error for a file that does not exist.
package enum MissingFile {
    /// The maximum number of names of a folder that are compared.
    private static let maximumNames = 1_000
    /// The maximum number of names in a message.
    private static let maximumShown = 3

    /// Returns the error with the folder that was searched, and similar files.
    ///
    /// - Parameters:
    ///   - kind: The kind of file in the message, such as `configuration file`.
    ///   - suffixes: The suffixes of such files.
    ///   - creation: How to create one.
    package static func error(
        _ file: String, kind: String, suffixes: [String], creation: String
    ) -> ConfigurationError {
        let url = URL(filePath: file)
        let folder = url.deletingLastPathComponent().path
        let names = names(in: folder, suffixes)
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder.boolValue
        let place =
            exists
            ? "the folder \(Quoted(folder)) has no \(kind) \(Quoted(url.lastPathComponent))"
            : "there is no folder \(Quoted(folder))"
        return ConfigurationError(
            location: SourceLocation(file: file, line: 1, column: 1), what: place,
            remedy: suggestion(url.lastPathComponent, names, suffixes).map { "\($0) or \(creation)" } ?? creation)
    }

    private static func suggestion(_ name: String, _ names: [String], _ suffixes: [String]) -> String? {
        // The usual places are the working directory and its folder `config`.
        let usual = [name, "config/\(name)"].first { FileManager.default.fileExists(atPath: $0) }
        if let near = Spelling.suggestion(for: name, among: names) ?? usual { return "did you mean \(Quoted(near))?" }
        guard !names.isEmpty else { return nil }
        let shown = names.prefix(maximumShown).map { "\(Quoted($0))" }.joined(separator: ", ")
        return "it has \(shown)\(names.count > maximumShown ? " and others" : "");"
    }

    /// Returns the names of files in a folder with one of the suffixes, sorted.
    private static func names(in folder: String, _ suffixes: [String]) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.prefix(maximumNames).filter { name in suffixes.contains(where: name.hasSuffix) }.sorted()
    }
}
