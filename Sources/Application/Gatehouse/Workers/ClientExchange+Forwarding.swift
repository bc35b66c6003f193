import Authentication
import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import RequestPipeline
import Telemetry

extension ClientExchange {
    /// Renders a permitted request and passes it to the pool of its upstream.
    func forward(_ request: RequestView, _ permit: Permit, _ client: ClientHandler, _ worker: Worker) {
        client.record.decided = worker.clock.monotonic()
        guard case .upstream(let upstream) = permit.destination else { return client.deny(Denial(.internalError)) }
        if permit.identity?.identity.isTooLarge == true { return client.deny(Denial(.headTooLarge)) }
        let pool = worker.pools[upstream]
        // HTTP/1.1 does not carry the trailers of gRPC reliably.
        if client.record.wantsGRPC, !pool.settings.protocol.isMultiplexed {
            return client.deny(Denial(.grpcUnsupported))
        }
        let outgoing = worker.snapshot.outgoing
        guard let assertion = outgoing.assertion(for: permit.identity, upstream: upstream, now: worker.clock.now())
        else {
            client.record.reason = "assertion: not signed"
            return client.deny(Denial(.internalError))
        }
        let route = OutgoingHead.Route(
            peer: client.origin, fallbackHost: pool.hostField, assertion: assertion,
            trailers: outgoing.trailers(of: request))
        let traceIDs = traceIDs(of: request, client, worker)
        let head = worker.connectionContext.flushes.requests.next()
        guard
            let request = outgoing.render(
                request, permit, route, traceIDs,
                balanceValue: pool.settings.hashOn?.hash(
                    user: permit.identity?.principal.user, address: client.origin.text, request: request),
                into: &head.pointee)
        else { return client.deny(Denial(.internalError)) }
        if let identity = permit.identity, worker.snapshot.sessionTerms != nil, permit.upgrade == nil {
            worker.sessionUsed(identity, by: client)
        }
        client.record.upstream = upstream
        worker.counters.add(
            to: client.record.attempts == 0 ? .requests : .retries, upstream: pool.settings.counterPlace)
        if permit.upgrade != nil { client.requestsTunnel() }
        pool.send(request, head: head.pointee, for: client)
    }

    /// Returns the request's IDs: the client's trace if accepted, otherwise a new one. The upstream's parent is the
    /// span of the attempt if the request is recorded.
    private func traceIDs(of request: RequestView, _ client: ClientHandler, _ worker: Worker) -> OutgoingHead.TraceIDs {
        let context = worker.traceContext(of: request)
        if let context {
            client.record.trace = context.parent.trace
            // The sampled flag states whether the gateway recorded the request (W3C Trace Context section 3.4).
            guard trace != nil || (worker.snapshot.tracing != nil && context.parent.isSampled) else {
                return OutgoingHead.TraceIDs(request: client.record.id, passing: context)
            }
        } else if client.record.trace == (0, 0) {
            client.record.trace = worker.connectionContext.requestIDs.nextPair()
        }
        let span = worker.connectionContext.requestIDs.nextPair().1
        if let trace { beginAttempt(of: trace, request, span, client, worker) }
        // Bit 1 states that the trace ID is random (W3C Trace Context level 2).
        let flags = trace?.flags ?? (context?.parent.flags ?? 0) & 2
        return OutgoingHead.TraceIDs(
            request: client.record.id, trace: client.record.trace, span: span, flags: flags, continuing: context)
    }
}
