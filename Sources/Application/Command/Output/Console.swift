import Foundation
import Logging
import Observability
import PrintableText

/// The command's standard streams.
enum Console {
    /// Writes a text and a line's end to standard output.
    ///
    /// - Throws: the reason why it could not be written: a result that is lost is no success.
    static func say(_ text: String = "") throws(Refused) {
        do {
            try FileHandle.standardOutput.write(contentsOf: printable(text))
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
            let reason = cause.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(cause.code))) : "\(error)"
            throw Refused("the result cannot be written to standard output (\(reason)); write it elsewhere")
        }
    }

    /// Writes a text and a line's end to standard error. There is nowhere to report that this failed.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: printable(text))
    }

    private static func printable(_ text: String) -> Data {
        Data((PrintableText.escaped(text, keepsLineFeeds: true) + "\n").utf8)
    }

    /// A secret from an option: `-` reads it from standard input, so that it stands in no process list.
    static func secret(_ option: String) throws(Refused) -> String {
        guard option == "-" else { return option }
        let limit = 65_536
        guard let data = try? FileHandle.standardInput.read(upToCount: limit + 1), data.count <= limit else {
            throw Refused("standard input has no token: at most 64 KiB are read; pipe the token in")
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw Refused("standard input is empty; pipe the token in") }
        return text
    }
}

/// A command that could not do what it was asked: exit code 1, and these lines on standard error.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description = "\(error)"
    }

    /// - Parameter what: what is wrong; what to do.
    init(_ what: String) {
        description = what
    }
}

extension ProcessLog {
    /// A logger of a level by its configured name: standard output is the access log's.
    func logger(level: String) -> Logger { logger(level: Logger.Level(rawValue: level) ?? .info) }
}
