/// The messages of a stream whose heads a parser accepted, and how the stream ended.
struct Reading {
    enum Ending: Equatable {
        /// After a whole message, or before the first.
        case between
        /// The stream ended within a message, all of whose bytes were judged.
        case within
        /// The stream ended within a head or trailers that are judged once they are whole. If there is a reason, they
        /// will be rejected for it however they go on.
        case waiting(doomed: String?)
        /// The connection serves no further message, so that nothing more was read.
        case closed
        /// Another protocol follows, so that nothing more was read.
        case upgraded
        /// It was refused for this reason.
        case refused(String)
    }

    var messages: [ReadMessage] = []
    var ending: Ending = .between
}

/// A message with an accepted head; its body may be incomplete.
struct ReadMessage {
    enum Start: Equatable {
        case request(method: String, target: String)
        case response(status: Int)
    }

    var start: Start
    var minorVersion: Int
    var fields: [ReadField]
    var keepAlive: Bool
    var body: [UInt8] = []
    var trailers: [ReadField] = []
    /// The range of offsets in which the message ends. `nil` while it is incomplete.
    var end: ClosedRange<Int>?

    /// The values of the fields with this name, which is in lower case.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

struct ReadField: Equatable {
    var name: String
    var value: String
}

extension ReadMessage {
    /// Whether another response to the same request follows.
    var isInterim: Bool {
        if case .response(let status) = start { (100..<200).contains(status) && status != 101 } else { false }
    }
}
