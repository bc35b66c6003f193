import Foundation
import GatewayConfiguration
import Logging
import Observability
import PrintableText

/// The command's standard streams.
enum Console {
    /// Writes text and a line feed to standard output. Throws if the write fails, because a lost result is a failure.
    static func say(_ text: String = "") throws(Refused) {
        try emit(printable(text))
    }

    /// Writes a program's text unchanged to standard output, with its tabs and control characters.
    static func emit(_ script: Data) throws(Refused) {
        do {
            try FileHandle.standardOutput.write(contentsOf: script)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
            let reason = cause.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(cause.code))) : "\(error)"
            throw Refused("the result cannot be written to standard output (\(reason)); write it elsewhere")
        }
    }

    /// Writes text and a line feed to standard error. A failure cannot be reported.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: printable(text))
    }

    private static func printable(_ text: String) -> Data {
        Data((PrintableText.escaped(text, keepsLineFeeds: true) + "\n").utf8)
    }

    /// Returns a secret from an option. `-` reads it from standard input, so that it does not appear in the process
    /// list.
    static func secret(_ option: String) throws(Refused) -> String {
        guard option == "-" else { return option }
        return try readSecret(FileHandle.standardInput, "standard input", remedy: "pipe the token in")
    }

    /// Returns the secret that a file contains.
    static func secretText(ofFile file: String) throws(Refused) -> String {
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw Refused("\(file) cannot be read; name a readable file (--file)")
        }
        return try readSecret(handle, file, remedy: "name a file that contains only the token (--file)")
    }

    private static func readSecret(_ handle: FileHandle, _ name: String, remedy: String) throws(Refused) -> String {
        let limit = 65_536
        guard let data = try? handle.read(upToCount: limit + 1), data.count <= limit else {
            throw Refused("\(name) is unreadable or exceeds 64 KiB; \(remedy)")
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw Refused("\(name) is empty; \(remedy)") }
        return text
    }
}

/// A failure of a command: exit code 1, and these lines on standard error.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description = "\(error)"
    }

    /// Creates a failure with the error and its remedy.
    init(_ what: String) {
        description = what
    }
}

extension ProcessLog {
    /// Starts the log on standard error in the configured format.
    convenience init(_ settings: Configuration.Log) { self.init(format: LogFormat(rawValue: settings.format) ?? .text) }

    /// Returns a logger with the configured level. It does not use standard output, which is for the access log.
    func logger(level: String) -> Logger { logger(level: Logger.Level(rawValue: level) ?? .info) }
}
