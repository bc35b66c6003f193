import GatewayCore

/// Exchanges that last without being streams by their type: endless answers, endless uploads, downloads. They too end with their permission.
extension ClientHandler {
    /// Ends an exchange that has lasted, if the user may not go on with it. Called a few times a second; young ones are not looked at.
    ///
    /// - Returns: whether it was ended.
    func endsWithoutPermission(now: UInt64) -> Bool {
        guard lasts(at: now), let code = lostPermission(at: now) else { return false }
        if record.reason == nil { record.reason = StreamEnding(refused: code).reason }
        refuseBody(Denial(code))
        return true
    }

    private func lasts(at now: UInt64) -> Bool {
        // What the gateway answers itself is not forwarded.
        guard connection.phase == .exchanging, record.forwarded > 0, record.isAuthenticated else { return false }
        if connection.bodyOpen, now >= record.forwarded &+ StreamBounds.lasting { return true }
        return connection.responseStarted && now >= record.answered &+ StreamBounds.lasting
    }

    private func lostPermission(at now: UInt64) -> DecisionCode? {
        if lasting == nil { lasting = handler?.watchExchange(of: self) }
        guard let lasting else { return nil }
        let moment = StreamWatch.Moment(now: now, lastProgress: now)
        if !hasEnd, lasting.watch.end(at: moment, wall: front.clock.now()) != nil { return record.expiredCode }
        return handler?.refusal(of: lasting)
    }

    /// Whether what is open has a length that was told at its beginning: what began rightly may then be finished without a token that is valid
    /// still, but not by somebody who was revoked.
    private var hasEnd: Bool {
        if connection.bodyOpen, !body.hasLength { return false }
        return !connection.responseStarted || responder?.answersAtLength == true
    }
}
