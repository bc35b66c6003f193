import HTTPWire

/// The bytes that one end of a connection receives, and the requests that they respond to.
struct Stream: Sendable {
    /// Which end reads them.
    enum Kind: Sendable {
        case requests
        /// Responses to requests with these methods, in this order. After the last, nothing more is read.
        case responses(to: [RequestMethod])
    }

    var kind: Kind
    var bytes: [UInt8]

    init(_ kind: Kind, _ bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    static func requests(_ text: String) -> Stream { Stream(.requests, Array(text.utf8)) }

    static func responses(to methods: RequestMethod..., text: String) -> Stream {
        Stream(.responses(to: methods), Array(text.utf8))
    }

    /// The methods of the requests, in the order of the responses.
    var methods: [RequestMethod] {
        if case .responses(let methods) = kind { methods } else { [] }
    }
}

/// The methods that change how a response ends, and one that does not.
enum RequestMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case connect = "CONNECT"

    var own: HTTPWire.Method {
        switch self {
        case .get: .get
        case .head: .head
        case .connect: .connect
        }
    }
}
