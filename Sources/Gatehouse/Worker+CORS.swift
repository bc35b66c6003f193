import HTTPWire

extension Worker {
    /// Answers a preflight for a route that has CORS, from its configuration alone: no credential is looked at and nothing goes upstream.
    ///
    /// - Returns: false where the request is none, or none for such a route; it is then a request like others.
    func answerPreflight(_ request: RequestView, from client: ClientHandler) -> Bool {
        guard let preflight = Preflight(request) else { return false }
        let scratch = pathScratch.borrow()
        defer { scratch.giveBack() }
        guard let asked = snapshot.asked(by: preflight, in: request, scratch: scratch),
            let cors = asked.plan.additions?.cors
        else { return false }
        if let route = asked.route { client.record.route = route }
        note(asked.plan.additions, request, client)
        if let rates = asked.plan.rates, !isWithin(rates, client) { return true }
        guard cors.allows(client.record.corsOrigin) else {
            client.record.reason = "cors: the origin is not listed"
            client.deny(.foreignOrigin)
            return true
        }
        let lines = cors.lines(answering: preflight, in: request.bytes) + CORSPolicy.preflightVary
        client.answer(ReadyAnswer(noContentWith: lines))
        return true
    }

    /// Notes what the request's answers have besides what is in them, whoever gives them.
    @inline(__always)
    func note(_ additions: AnswerAdditions?, _ request: RequestView, _ client: ClientHandler) {
        guard let additions else { return }
        client.record.additions = additions
        if let cors = additions.cors { client.record.corsOrigin = cors.place(of: request) }
    }
}

extension Denial {
    /// A preflight of an origin whose pages may not call.
    static var foreignOrigin: Denial {
        var denial = Denial(.crossSite)
        denial.detail = "Pages of this origin may not call here."
        return denial
    }
}

extension Snapshot {
    /// The plan of whom the request would go to that a preflight asks about, and its route; an account call has none.
    func asked(
        by preflight: Preflight, in request: RequestView, scratch: PathScratch
    ) -> (plan: RoutePlan, route: Int?)? {
        let bytes = request.bytes
        let path = request.head.path.bytes(in: bytes)
        if let own, OwnEndpoints.mayHold(path) {
            let call = own.calls.first { call in
                path.elementsEqual(call.path)
                    && ASCII.equals(preflight.method.bytes(in: bytes), call.endpoint.method.name ?? "")
            }
            return call.map { ($0.plan, nil) }
        }
        let outcome = routes.route(
            host: request.head.host.bytes(in: bytes), path: path, method: preflight.method.bytes(in: bytes),
            scratch: scratch)
        guard case .route(let match) = outcome else { return nil }
        return (plans[match.index], match.index)
    }
}
