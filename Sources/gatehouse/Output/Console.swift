import Foundation

/// The command's standard streams. A reader who has gone is no error.
enum Console {
    /// Writes a text and a line's end to standard output.
    static func say(_ text: String = "") {
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Writes a text and a line's end to standard error.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
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
