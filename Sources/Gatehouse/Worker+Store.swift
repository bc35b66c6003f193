import Redis

/// A request that waits for the store's own answer.
struct AskingRequest {
    let client: ClientHandler
    /// Tells whether the client still has this request.
    let number: UInt64
    /// When it asked, in monotonic nanoseconds.
    let began: UInt64

    var isCurrent: Bool { client.isOpen && client.record.number == number }
}

extension Worker {
    /// Sends a question to the store itself, and keeps the request until the answer comes.
    ///
    /// - Returns: why it cannot be asked now; nil when it was.
    func ask(
        _ question: StoreQuestion, of identity: VerifiedTokenCache.Entry, for client: ClientHandler
    ) -> StoreFailure? {
        counters.add(to: .storeReads)
        guard let inquiries, inquiries.isConnected else { return .unreachable }
        guard inquiries.hasRoom else { return .overloaded }
        client.adjustReading()
        inquiries.ask(
            question, identity.recordCommands,
            for: AskingRequest(client: client, number: client.record.number, began: front.time))
        return nil
    }

    /// The store answered, or did not: the request is decided again.
    func storeAnswered(_ request: AskingRequest, _ answer: StoreAnswer) {
        front.readClock()
        counters.record(.storeRead, nanoseconds: front.time &- request.began)
        guard request.isCurrent else { return }
        let outer = arrived
        arrived = (request, answer)
        request.client.serveAgain()
        arrived = outer
    }

    /// The answer that came for the request that the client has now, once.
    func takeAnswer(for client: ClientHandler) -> StoreAnswer? {
        guard let (request, answer) = arrived, request.client === client, request.number == client.record.number
        else { return nil }
        arrived = nil
        return answer
    }
}
