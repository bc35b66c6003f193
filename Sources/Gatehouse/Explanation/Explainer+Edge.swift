import HTTPWire

/// What the gateway answers itself, and what changes protocols.
extension Explainer {
    /// Explains a preflight for what has CORS; nil: it is a request like others.
    func preflight(_ request: ParsedRequest, _ soFar: Account) -> Explanation? {
        guard snapshot.answersPreflights else { return nil }
        return request.withView { view in
            guard let preflight = Preflight(view),
                let asked = snapshot.asked(by: preflight, in: view, scratch: PathScratch()),
                let cors = asked.plan.additions?.cors
            else { return nil }
            var account = soFar
            let method = preflight.methodName(in: view.bytes)
            let asks = "a preflight of \(method) for \(asked.plan.pattern): no credential is looked at"
            let place = cors.place(of: view)
            guard cors.allows(place) else {
                account.fail("cors", "\(asks), and pages of the Origin may not call")
                return account.refused(.foreignOrigin)
            }
            account.pass("cors", "\(asks), and pages of the Origin may call")
            let lines = cors.lines(to: place) + cors.lines(answering: preflight, in: view.bytes)
            let fields = String(decoding: lines, as: UTF8.self).split(separator: "\r\n").map(String.init)
            return account.answered(204, "what pages of that origin may send", fields: fields)
        }
    }

    /// Explains a request for what is published under `/.gatehouse/`; nil: it is for none of it.
    func document(_ request: ParsedRequest, _ soFar: Account) -> Explanation? {
        guard let own = snapshot.own else { return nil }
        let path = request.bytes(request.head.path)
        let what: String
        if path == OwnEndpoints.keysPath {
            what = "the keys of its assertions and session cookies"
        } else if own.page != nil, path == OwnEndpoints.prefix {
            what = "the demo's page"
        } else {
            return nil
        }
        var account = soFar
        guard request.head.method == .get || request.head.method == .head else {
            account.fail("method", "only GET, HEAD")
            return account.refused(Denial(.methodNotAllowed, allow: Array("GET, HEAD".utf8)))
        }
        account.pass("path", "\(request.text(request.head.path)), the gateway's own")
        if path == OwnEndpoints.keysPath, configuration.accounts != nil {
            account.note("store", "503 until the store has told the keys of session cookies")
        }
        return account.answered(200, what)
    }

    /// What becomes of the protocols that a request asks to change to; nil: it asks for none.
    func upgrade(of request: ParsedRequest, _ place: RoutedPlace) -> ExplanationStep? {
        request.withView { view in
            guard view.head.hasUpgrade else { return nil }
            let plan = snapshot.plans[place.index]
            switch plan.upgrade?.read(view, plan.places) ?? .nothing {
            case .nothing:
                return ExplanationStep(
                    .note, "upgrade", "removed: the route lists no such protocol, or the request has a body")
            case .upgrade(let asked):
                let name = String(decoding: asked.name, as: UTF8.self)
                return ExplanationStep(.passed, "upgrade", "to \(name), if the service agrees: a tunnel, no requests")
            case .malformed(let why): return ExplanationStep(.failed, "upgrade", "no handshake (\(why))")
            }
        }
    }
}

extension RoutePlan {
    /// Whether the request asks for a tunnel that the route allows.
    func opensTunnel(_ request: RequestView) -> Bool {
        if case .upgrade = upgrade?.read(request, places) { true } else { false }
    }
}
