internal import NIOCore

/// What a loopback server does with requests: pure functions from a request to a script.
///
/// They are called on the connection's event loop and must not block.
protocol LoopbackService: Sendable {
    /// What to do as soon as the head of a request is there; its body is still missing.
    func begin(_ head: ReceivedRequest) -> [ScriptStep]
    /// What to do once the request is complete.
    func answer(_ request: ReceivedRequest) -> [ScriptStep]
    /// A request ended before it was complete.
    func abandon(_ request: ReceivedRequest)
    /// What came was not HTTP.
    func reject(_ reason: String) -> [ScriptStep]
    /// What the connection becomes once the request is complete, instead of having it answered; nil: it is answered.
    func upgrade(_ request: ReceivedRequest) -> Upgrade?
}

/// A connection that ceases to be HTTP: what tells so, and who has it from then on.
struct Upgrade {
    /// The head of the 101.
    let head: [UInt8]
    let handler: any ChannelHandler
}

extension LoopbackService {
    func upgrade(_ request: ReceivedRequest) -> Upgrade? { nil }
}
