import GatewayCore

extension ClientHandler {
    /// Called a few times a second for each connection.
    package func tick(now: UInt64) {
        holder?.note(idleSince: isAtRest ? connection.lastProgress : nil)
        if let stream { return tick(stream, now: now) }
        switch connection.expiry(now: now, limits: front.limits, bodyBytes: record.bytesIn) {
        case .none:
            if endsWithoutPermission(now: now) { return }
            responder?.tick(now: now)
            closeIfDrained(now: now)
        case .close where connection.isIdle:
            // Nothing is owed, and over TLS that is said: an end without it would look like a cut.
            connection.finish()
            closeOnceSent()
        case .close:
            if connection.phase == .opening { opening?.failed(OpeningTimeout()) }
            close()
        case .requestTimeout:
            // A body that its upstream does not take is not the client's delay.
            timedOut(responder?.acceptsBody == false ? .upstreamTimeout : .requestTimeout)
        case .totalTimeout:
            timedOut(connection.bodyOpen ? .requestTimeout : .upstreamTimeout)
        case .abort:
            abandon(.requestTimeout)
        }
    }

    /// While draining, a connection that has been idle for a second is closed; a busy one closes with its next answer.
    private func closeIfDrained(now: UInt64) {
        guard front.isDraining, connection.isIdle, now > front.drainingSince &+ 1_000_000_000 else { return }
        connection.finish()
        closeOnceSent()
    }

    private func timedOut(_ code: DecisionCode) {
        if connection.hasPartialHead {
            origins.forget()
            connection.headCompleted(persistent: false, hasBody: true, now: front.time)
            beginRecordWithoutHead()
        } else if let responder {
            self.responder = nil
            responder.clientGone()
        } else {
            handler?.abandoned(self)
        }
        deny(Denial(code))
    }
}
