import HTTPWire

/// What the gateway publishes on the public listener. An object, so that a look at it on each request is one reference.
final class PublishedDocuments: Sendable {
    /// Where the keys of assertions are: the one spelling of the path that is answered.
    let keysPath = Array("/.gatehouse/jwks.json".utf8)
    /// For how long others may keep them, in seconds.
    static let keysAge = 300

    let keys: ReadyAnswer

    init(_ keys: AssertionKeys) {
        self.keys = ReadyAnswer(
            contentType: "application/jwk-set+json", maximumAge: Self.keysAge, body: keys.jwkSet)
    }
}

extension Worker {
    /// Answers a request for a document of the gateway's own; false where it is for none.
    func publish(_ request: RequestView, to client: ClientHandler) -> Bool {
        guard let documents = snapshot.documents,
            request.head.path.length == documents.keysPath.count,
            request.head.path.bytes(in: request.bytes).elementsEqual(documents.keysPath)
        else { return false }
        switch request.head.method {
        case .get, .head: client.answer(documents.keys)
        default: client.deny(Denial(.methodNotAllowed, allow: Array("GET, HEAD".utf8)))
        }
        return true
    }
}
