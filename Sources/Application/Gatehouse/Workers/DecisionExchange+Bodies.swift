import Authentication
import Authorization
import Decisions
import GatewayCore
import HTTPServer
import HTTPWire
import Logging
import NIOCore
import RequestPipeline
import Routing

// The endpoints with a body: introspection, and decisions as JSON.
extension DecisionExchange {
    func readIntrospection(
        _ request: RequestView, _ client: ClientHandler, _ settings: DecisionSettings, _ worker: Worker
    ) {
        guard let clients = settings.clients else { return client.deny(Denial(.routeNotFound)) }
        guard expectsPost(request, of: "application/x-www-form-urlencoded", client) else { return }
        guard let id = authenticatedClient(of: request, clients, client, settings, worker) else { return }
        if let wait = settings.takeRequest(of: id, now: worker.connectionContext.time) {
            return client.deny(Denial(.rateLimited, retryAfter: wait))
        }
        guard let form = IntrospectionForm(acceptedBy: request, canSign: settings.signer != nil) else {
            isUnacceptable = true
            var denial = Denial(.malformedRequest)
            denial.detail = "The gateway has no key for signed responses. Accept application/json."
            denial.members = Array(#""error":"invalid_request""#.utf8)
            return client.deny(denial)
        }
        signature = form == .jwt ? settings.signer.map { (id, $0) } : nil
        readBody(atMost: IntrospectionRequest.bodyLimit, client)
    }

    /// Returns the identifier of the request's client. `nil` if it is not authenticated; the request is denied then.
    private func authenticatedClient(
        of request: RequestView, _ clients: IntrospectionClients, _ client: ClientHandler,
        _ settings: DecisionSettings, _ worker: Worker
    ) -> String? {
        // A request without a credential guesses nothing. Some clients wait for the challenge before they send one.
        guard let credential = clients.credential(of: request) else {
            if let id = certifiedClient(clients, client, worker) { return id }
            challenge(client, clients, settings)
            return nil
        }
        let (limits, name) = (worker.lookups.authenticationLimits, credential.name)
        let (network, now) = (client.origin.network, worker.connectionContext.time)
        if let wait = limits.wait(for: name, at: network, now: now) {
            worker.counters.add(to: .introspectionClientsLimited)
            client.record.reason = "too many failed authentications of the service"
            var denial = Denial(.rateLimited, retryAfter: wait)
            denial.detail = "Too many requests with a wrong secret. Try again later."
            client.deny(denial)
            return nil
        }
        guard let id = clients.client(with: credential) else {
            limits.recordFailure(of: name, at: network, now: now)
            worker.counters.add(to: .introspectionClientsRefused)
            worker.logger.warning(
                "introspection client not authenticated",
                metadata: [
                    "client": "\(client.origin.text)", "client_id": "\(clients.loggedID(of: name))",
                    "request_id": "\(client.record.idText)",
                ])
            client.record.reason = "an unknown service or a wrong secret"
            challenge(client, clients, settings)
            return nil
        }
        limits.recordSuccess(of: name, at: network, now: now)
        return id
    }

    /// Returns the identifier of the client with the certificate of the connection. `nil` if there is none.
    private func certifiedClient(
        _ clients: IntrospectionClients, _ client: ClientHandler, _ worker: Worker
    ) -> String? {
        do throws(ClientCertificate.Rejection) {
            let certificate = try ClientCertificate(
                of: client, at: worker.clock.now(), under: worker.snapshot.decisionListener)
            guard let certificate else { return nil }
            if let id = clients.client(with: certificate.names) { return id }
            client.record.reason = "the certificate has the name of no client, or of more than one"
        } catch {
            client.record.reason = error.reason
        }
        return nil
    }

    private func challenge(_ client: ClientHandler, _ clients: IntrospectionClients, _ settings: DecisionSettings) {
        client.record.additions = settings.clientChallenge
        var denial = Denial(.missingCredential)
        denial.detail = clients.challenge
        denial.members = Array(#""error":"invalid_client""#.utf8)
        client.deny(denial)
    }

    func respondWithMetadata(_ request: RequestView, _ client: ClientHandler, _ settings: DecisionSettings) {
        guard let clients = settings.clients else { return client.deny(Denial(.routeNotFound)) }
        guard expectsMethod(request, client) else { return }
        let host = String(decoding: request.head.host.bytes(in: request.bytes), as: UTF8.self)
        let base = "\(client.origin.isSecure ? "https" : "http")://\(host)"
        client.respond(
            with: StaticResponse(
                contentType: "application/json",
                body: IntrospectionMetadata.document(
                    at: base, methods: clients.methods, signingBy: settings.signer?.algorithm)))
    }

    func respondWithKeys(_ request: RequestView, _ client: ClientHandler, _ worker: Worker) {
        guard let keys = worker.assertionKeysDocument else { return client.deny(Denial(.routeNotFound)) }
        guard expectsMethod(request, client) else { return }
        client.respond(with: keys)
    }

    /// Presents the token in the next place. Without one, the token is not valid.
    func introspectNext(_ client: ClientHandler, _ worker: Worker, _ context: RequestPipeline.Context) {
        while let (request, places) = introspection, let place = places.first {
            introspection?.places = places.dropFirst()
            guard let head = request.presented(in: place),
                let presented = try? OriginalRequest(head, fieldCount: 2, from: client.origin)
            else { continue }
            original = presented
            run = PipelineRun(began: client.record.began)
            run.purpose = .decision
            run.begin(introspectionWith: worker.introspectionPlan(maxAge: request.maxAge))
            return presented.withView { decide(presented, $0, client, worker, context) }
        }
        respond(introspection: IntrospectionResponse.inactive, client, worker)
    }

    /// Responds to a denied token. Only an outage is an error; a sign-in that is too old is reported beside the facts.
    func introspected(_ denial: Denial, _ client: ClientHandler, _ worker: Worker) {
        if denial.code.status >= 500 { return client.deny(denial) }
        if denial.code == .requiresRecentLogin, let identity = run.identity {
            return respond(active: identity.principal, nil, isOld: true, client, worker)
        }
        let scratch = worker.pathScratch.borrow()
        defer { scratch.release() }
        introspectNext(
            client, worker,
            RequestPipeline.Context(
                now: worker.clock.now(), monotonic: worker.connectionContext.time, scratch: scratch))
    }

    func respond(
        active principal: Principal?, _ signedInAt: UnixTime?, isOld: Bool = false, _ client: ClientHandler,
        _ worker: Worker
    ) {
        guard let principal else {
            return respond(introspection: IntrospectionResponse.inactive, client, worker)
        }
        client.record.deniedIn = nil
        var stepUp: IntrospectionResponse.StepUp?
        if isOld, let maxAge = introspection?.request.maxAge {
            let now = UnixTime(clamping: worker.clock.now())
            let time = IntrospectionResponse.signInTime(of: principal, signedInAt)
            stepUp = IntrospectionResponse.StepUp(maxAge: maxAge, age: time.map { now.seconds(since: $0) })
        }
        respond(
            introspection: IntrospectionResponse.active(principal, signedInAt: signedInAt, stepUp: stepUp), client,
            worker)
    }

    private func respond(introspection json: [UInt8], _ client: ClientHandler, _ worker: Worker) {
        guard let (id, signer) = signature else { return respond(json: json, client) }
        guard let jwt = signer.jwt(of: json, for: id, now: UnixTime(clamping: worker.clock.now())) else {
            return client.deny(Denial(.internalError))
        }
        client.respond(
            with: StaticResponse(
                contentType: IntrospectionSigner.mediaType, fields: [("X-Content-Type-Options", "nosniff")], body: jwt))
    }

    // MARK: - Bodies

    /// Returns whether the endpoint accepts the method. The request is denied if not.
    private func expectsMethod(_ request: RequestView, _ client: ClientHandler) -> Bool {
        guard endpoint?.accepts(request.head.method) == true else {
            client.deny(Denial(.methodNotAllowed, allow: endpoint?.allowedMethods))
            return false
        }
        return true
    }

    func expectsPost(
        _ request: RequestView, of type: StaticString, _ client: ClientHandler
    ) -> Bool {
        guard expectsMethod(request, client) else { return false }
        let value = request.fields.first(.contentType)?.value.bytes(in: request.bytes)
        let media = value?.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
        guard request.fields.count(of: .contentType) == 1, let media,
            ASCII.equals(UnsafeRawBufferPointer(rebasing: media), type)
        else {
            refuse("Content-Type is not \(type)", as: .malformedRequest, client)
            return false
        }
        return true
    }

    func readBody(atMost limit: Int, _ client: ClientHandler) {
        client.record.bodyLimit = limit
        client.attach(DecisionBody(client, self))
    }

    /// Handles the complete body of a request.
    func bodyArrived(_ body: [UInt8], _ client: ClientHandler) {
        guard let worker, let settings = worker.snapshot.decisions else { return client.deny(Denial(.internalError)) }
        let scratch = worker.pathScratch.borrow()
        defer { scratch.release() }
        let context = RequestPipeline.Context(
            now: worker.clock.now(), monotonic: worker.connectionContext.time, scratch: scratch)
        if endpoint == .check { return decideCheck(body, client, settings, worker, context) }
        guard endpoint == .decide else {
            guard let request = IntrospectionRequest(body) else {
                var denial = Denial(.malformedRequest)
                denial.detail = "Send token once, and max_age as a number of seconds."
                denial.members = Array(#""error":"invalid_request""#.utf8)
                return client.deny(denial)
            }
            introspection = (request, settings.places[...])
            return introspectNext(client, worker, context)
        }
        do throws(DescriptionError) {
            switch try DecideRequest.body(body) {
            case .request(let description):
                let original = try DecideRequest.read(
                    description, settings.fields, credentialHeader: settings.credentialHeader, scratch: scratch)
                begin(original, client)
                original.withView { decide(original, $0, client, worker, context) }
            case .list(let descriptions):
                list = DecisionList(descriptions, method: client.record.method, path: client.record.path)
                decideRest(client, settings, worker, context)
            }
        } catch {
            refuse(error.reason, as: .malformedRequest, client)
        }
    }

    func respond(json: [UInt8], _ client: ClientHandler) {
        client.respond(
            with: StaticResponse(
                contentType: "application/json", fields: [("X-Content-Type-Options", "nosniff")], body: json))
    }

    func respond(permitting lines: [UInt8], _ permit: Permit, _ client: ClientHandler) {
        var verdict = Verdict(code: .ok, status: 200)
        verdict.route = permit.plan.pattern
        verdict.rule = run.rule
        verdict.identity = lines
        respond(verdict, client)
    }

    /// Responds with a denial of the phase. `nil` if no phase denied the request.
    func respond(denying denial: Denial, in phase: DecisionPhase?, _ client: ClientHandler) {
        var verdict = Verdict(code: denial.code, status: denial.code.status)
        verdict.phase = phase
        verdict.detail = denial.detail ?? "\(denial.code.detail)"
        verdict.reason = client.record.reason
        verdict.rule = run.rule
        verdict.route = run.plan?.pattern
        verdict.maxAge = denial.maxAge
        client.record.code = denial.code
        respond(verdict, client)
    }
}

/// The reader of the body of a request.
private final class DecisionBody: Responder {
    private let client: ClientHandler
    private let exchange: DecisionExchange
    private var body: [UInt8] = []

    init(_ client: ClientHandler, _ exchange: DecisionExchange) {
        self.client = client
        self.exchange = exchange
    }

    var acceptsBody: Bool { true }
    var responseHasLength: Bool { true }

    func bodyPart(_ part: ByteBuffer) { body.append(contentsOf: part.readableBytesView) }
    func bodyEnded(trailers: ByteBuffer) { exchange.bodyArrived(body, client) }
    func bodyFlush() {}
    func clientWritabilityChanged(isWritable: Bool) {}
    func clientGone() { exchange.abandoned(client) }
    func tick(now: UInt64) {}
}

extension Worker {
    /// Returns the plan by which a service's token is decided.
    ///
    /// - Parameter maxAge: The maximum age of the sign-in, in seconds. `nil` if it is not checked.
    fileprivate func introspectionPlan(maxAge: Int64?) -> RoutePlan {
        var policy = RoutePolicy()
        policy.recentSignIn = maxAge
        return RoutePlan(
            pattern: "introspection", policy: policy, upstream: nil, responseTimeout: 0, bodyLimit: nil,
            opaqueProvider: snapshot.introspectionProvider)
    }
}
