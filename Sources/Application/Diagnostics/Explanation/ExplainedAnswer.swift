import HTTPServer
import NIOCore

extension ProblemAnswer {
    /// The field lines of the answer whose names are wanted.
    func lines(_ isWanted: (Substring) -> Bool) -> [String] {
        var answer = ByteBuffer()
        write(into: &answer, date: [])
        let text = String(decoding: answer.readableBytesView, as: UTF8.self)
        let head = text.split(separator: "\r\n", omittingEmptySubsequences: false).dropFirst().prefix { !$0.isEmpty }
        return head.filter { isWanted($0.prefix { $0 != ":" }) }.map(String.init)
    }
}
