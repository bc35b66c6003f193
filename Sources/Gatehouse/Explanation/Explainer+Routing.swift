import HTTPWire

/// Where a request goes, in text.
struct RoutedPlace {
    let index: Int
    /// The canonical path.
    let path: [UInt8]
    /// The same for people, and the path as it was sent where that differs.
    let canonical: String
    /// What the upstream gets: path and query.
    let target: String
}

/// Why a request has no route.
struct RoutingRefusal: Error {
    let step: ExplanationStep
    let denial: Denial
}

extension Explainer {
    /// Asks the route table.
    func locate(_ request: ParsedRequest) -> Result<RoutedPlace, RoutingRefusal> {
        let scratch = PathScratch()
        return request.withView { view in
            let path = view.head.path.bytes(in: view.bytes)
            let outcome = snapshot.routes.route(
                host: view.head.host.bytes(in: view.bytes), path: path,
                method: view.head.methodRange.bytes(in: view.bytes), scratch: scratch)
            return place(outcome, view) { String(decoding: scratch.bytes(of: $0, in: path), as: UTF8.self) }
        }
    }

    /// What the request offers to be known by.
    func offer(of request: ParsedRequest, _ places: CredentialPlaces?) -> FoundCredentials.Offer {
        request.withView { view in
            var found = snapshot.locator.find(in: view)
            places?.find(in: view, &found)
            return found.offer(in: view.bytes)
        }
    }

    /// The account call that a request is for; nil: none.
    func ownCall(of request: ParsedRequest) -> OwnEndpoints.Call? {
        let path = request.bytes(request.head.path)
        return snapshot.own?.calls.first { $0.path == path }
    }

    /// Of an account call, what is decided before it is read.
    func own(_ call: OwnEndpoints.Call, _ request: ParsedRequest, _ soFar: Account) -> Explanation {
        var account = soFar
        let endpoint = call.endpoint
        account.pass("call", "\(endpoint.path), a call of the gateway's own: nothing is forwarded")
        let allowed = endpoint.method == .get ? "GET, HEAD" : "POST"
        guard request.head.method == endpoint.method || (endpoint.method == .get && request.head.method == .head)
        else {
            account.fail("method", "only \(allowed)")
            return account.refused(Denial(.methodNotAllowed, allow: Array(allowed.utf8)))
        }
        if let step = body(of: request, call.plan) {
            account.add(step)
            return account.refused(Denial(.requestTooLarge))
        }
        if endpoint.method == .post, !endpoint.isEvent {
            let step = request.withView { site(of: $0, call.plan) }
            account.add(step)
            if step.mark == .failed { return account.refused(Denial(.crossSite)) }
        }
        return account.undetermined(
            "the rest hangs on the call's body and on what the store has, which is not looked at")
    }

    /// Whether a page of another site may have sent it; nil where it is not asked.
    func site(of request: ParsedRequest, _ place: RoutedPlace) -> ExplanationStep? {
        request.withView { view in
            let plan = snapshot.plans[place.index]
            let isAsked = CrossSiteCheck.isAsked(of: view.head.method) || plan.opensTunnel(view)
            guard snapshot.locator.find(in: view).hasCookie, isAsked else { return nil }
            guard !plan.allowsCrossSite else {
                return ExplanationStep(.note, "site", "not asked: the route has insecure_no_csrf")
            }
            return site(of: view, plan)
        }
    }

    private func site(of view: RequestView, _ plan: RoutePlan) -> ExplanationStep {
        let finding = snapshot.crossSite.finding(in: view)
        if !finding.passes, plan.additions?.cors?.allowsCredentials(of: view) == true {
            return ExplanationStep(.passed, "site", "the Origin is one whose pages may call with credentials")
        }
        return ExplanationStep(finding.passes ? .passed : .failed, "site", finding.shown)
    }

    /// The step that refuses a body whose announced length is too long; nil: it may begin.
    func body(of request: ParsedRequest, _ plan: RoutePlan) -> ExplanationStep? {
        guard let limit = plan.bodyLimit, case .length(let length) = request.head.framing, length > UInt64(limit)
        else { return nil }
        return ExplanationStep(.failed, "body", "\(length) bytes, and at most \(limit) are taken")
    }

    /// What the route does besides with requests, each in one line.
    func edge(of route: Configuration.Route, _ place: RoutedPlace) -> [ExplanationStep] {
        var steps = route.rateLimits.map { limit in
            ExplanationStep(
                .note, "rate limit",
                "\(limit.requests) in \(DurationText.write(limit.every)) per \(limit.per.rawValue), not counted here")
        }
        if let rewrite = route.rewrite {
            let host = rewrite.host.map { ", with Host: \($0)" } ?? ""
            steps.append(ExplanationStep(.note, "rewrite", "forwarded as \(place.target)\(host)"))
        }
        return steps
    }

    private func place(
        _ outcome: RouteOutcome, _ view: RequestView, text: (PathSlice) -> String
    ) -> Result<RoutedPlace, RoutingRefusal> {
        switch outcome {
        case .route(let match):
            let query = view.head.query.map { "?" + String(decoding: $0.bytes(in: view.bytes), as: UTF8.self) } ?? ""
            let sent = String(decoding: view.head.path.bytes(in: view.bytes), as: UTF8.self)
            let canonical = text(match.path)
            return .success(
                RoutedPlace(
                    index: match.index, path: Array(canonical.utf8),
                    canonical: canonical == sent ? "\(sent), canonical as it is" : "\(canonical), sent as \(sent)",
                    target: text(match.forwardedPath) + query))
        case .notFound:
            return failure("route", "no route for this host and path", Denial(.routeNotFound))
        case .methodNotAllowed(let methods):
            let allow = snapshot.routes.allow(methods)
            return failure(
                "route", "the path has routes, but only for \(allow)",
                Denial(.methodNotAllowed, allow: Array(allow.utf8)))
        case .badPath(let error):
            return failure("path", "\(error.reason) at byte \(error.offset + 1)", Denial(.malformedRequest))
        }
    }

    private func failure(_ name: String, _ detail: String, _ denial: Denial) -> Result<RoutedPlace, RoutingRefusal> {
        .failure(RoutingRefusal(step: ExplanationStep(.failed, name, detail), denial: denial))
    }
}

extension CrossSiteCheck.Finding {
    /// Why, for people.
    var shown: String {
        switch self {
        case .noBrowser: "neither Sec-Fetch-Site nor Origin: no browser sent the cookie by itself"
        case .listedOrigin: "the Origin is listed in accounts.origins"
        case .sameOrigin: "Sec-Fetch-Site: the page is of the same origin, or there is none"
        case .originIsHost: "the Origin is the Host"
        case .otherSite: "Sec-Fetch-Site: a page of another site sent it, with the cookie of its user"
        case .otherOrigin: "the Origin is not the Host, nor listed in accounts.origins"
        case .ambiguous: "Sec-Fetch-Site or Origin stands there more than once"
        }
    }
}
