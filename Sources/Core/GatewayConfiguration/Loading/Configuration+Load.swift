import Foundation
package import GatewayCore

extension Configuration {
    /// The environment of this process.
    package static var processEnvironment: [String: String] { ProcessInfo.processInfo.environment }

    /// Reads and checks a configuration file.
    ///
    /// - Parameters:
    ///   - file: the path; it stands in every message as it is given here.
    ///   - environment: what `${NAME}` reads, and the overriding key URLs.
    /// - Throws: everything that is wrong with the file, each with its line and column.
    package static func load(
        file: String = defaultFile, environment: [String: String] = processEnvironment
    ) throws(ConfigurationErrors) -> Configuration {
        let source: SourceText
        do {
            source = try SourceText(readingFile: file)
        } catch {
            throw ConfigurationErrors([error])
        }
        return try load(source, environment: environment)
    }

    /// Checks a configuration that was read already. `${file:...}` starts at the directory of `file`.
    package static func load(
        bytes: [UInt8], file: String, environment: [String: String]
    ) throws(ConfigurationErrors) -> Configuration {
        let source: SourceText
        do {
            source = try SourceText(bytes, file: file)
        } catch {
            throw ConfigurationErrors([error])
        }
        return try load(source, environment: environment)
    }

    /// As ``load(bytes:file:environment:)``, with nothing read from the file system: `files` are what `${file:...}` finds.
    package static func load(
        bytes: [UInt8], file: String, environment: [String: String], files: [String: [UInt8]]
    ) throws(ConfigurationErrors) -> Configuration {
        let source: SourceText
        do {
            source = try SourceText(bytes, file: file)
        } catch {
            throw ConfigurationErrors([error])
        }
        return try load(source, environment: environment, files: files)
    }

    private static func load(
        _ source: SourceText, environment: [String: String], files: [String: [UInt8]]? = nil
    ) throws(ConfigurationErrors) -> Configuration {
        let directory = source.file.lastIndex(of: "/").map { source.file[..<$0] } ?? "."
        let substitution = Substitution(
            environment: environment, directory: directory.isEmpty ? "/" : String(directory), files: files)
        return try ConfigurationLoader.load(source, substitution)
    }
}
