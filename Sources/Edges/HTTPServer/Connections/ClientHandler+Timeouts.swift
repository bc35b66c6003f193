package import GatewayCore
import HTTPWire

extension ClientHandler {
    /// Checks the timeouts. Called several times per second for each connection.
    package func tick(now: UInt64) {
        holder?.record(idleSince: isAtRest ? connection.lastProgress : nil)
        if record.deadline > 0, now >= record.deadline, connection.isServing { return callExpired() }
        if let stream { return tick(stream, now: now) }
        switch connection.expiry(now: now, limits: requestLimits, bodyBytes: record.bytesIn) {
        case .none:
            if endsWithoutPermission(now: now) { return }
            responder?.tick(now: now)
            closeIfDrained(now: now)
        case .close where connection.isIdle:
            // No response is due. TLS requires a close notification, because an end without it is indistinguishable
            // from truncation.
            connection.finish()
            closeOnceSent()
        case .close:
            if connection.phase == .opening { opening?.failed(OpeningTimeout()) }
            close()
        case .requestTimeout:
            // If the upstream does not accept the body, the delay is not the client's.
            timedOut(responder?.acceptsBody == false ? .upstreamTimeout : .requestTimeout)
        case .totalTimeout:
            timedOut(connection.bodyOpen ? .requestTimeout : .upstreamTimeout)
        case .abort:
            abandon(.requestTimeout)
        }
    }

    private var requestLimits: ConnectionLimits {
        guard record.wantsGRPC, !connection.responseStarted, connection.isServing, let idle = handler?.callIdleTimeout
        else { return connectionContext.limits }
        return connectionContext.limits.ofCall(idle: idle)
    }

    /// While draining, closes a connection that has been idle for a second. A busy one closes after its next response.
    private func closeIfDrained(now: UInt64) {
        guard connectionContext.isDraining, connection.isIdle, now > connectionContext.drainingSince &+ 1_000_000_000
        else { return }
        connection.finish()
        closeOnceSent()
    }

    /// Bounds a gRPC call by its `grpc-timeout`, from the arrival of its head. An invalid value is ignored, and left to
    /// the upstream.
    package func limitCall(of request: RequestView) {
        guard let field = request.fields.first(.grpcTimeout),
            let timeout = GRPCTimeout.nanoseconds(field.value.bytes(in: request.bytes))
        else { return }
        let (deadline, overflow) = record.began.addingReportingOverflow(timeout)
        record.deadline = overflow ? .max : deadline
    }

    private func callExpired() {
        record.isPastDeadline = true
        if connection.responseStarted { abandon(.upstreamTimeout) } else { timedOut(.upstreamTimeout) }
    }

    private func timedOut(_ code: DecisionCode) {
        if connection.hasPartialHead {
            origins.forget()
            connection.headCompleted(persistent: false, hasBody: true, now: connectionContext.time)
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
