import HTTPWire

/// Where a request goes, in text.
struct RoutedPlace {
    let index: Int
    /// The canonical path, and the path as it was sent where that differs.
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
    func offer(of request: ParsedRequest) -> FoundCredentials.Offer {
        request.withView { snapshot.locator.find(in: $0).offer(in: $0.bytes) }
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
                    index: match.index,
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
