extension HTTPAsking {
    /// Asks once, within the time.
    package func ask(_ question: HTTPQuestion, within timeout: Duration) async -> Result<HTTPReply, AskingFailure> {
        await withCheckedContinuation { continuation in
            ask(question, within: timeout) { continuation.resume(returning: $0) }
        }
    }
}
