import Authentication
import Decisions
import Forwarding
import GatewayCore
import HTTPServer
import HTTPWire
import JOSE
import RequestPipeline

// Decisions for Envoy's filter ext_authz over gRPC.
//
// A message that cannot be read is an error of the call. Every other denial is a message for the client, so that it
// receives the status, the challenge and the document.
extension DecisionExchange {
    func readCheck(_ request: RequestView, _ client: ClientHandler) {
        guard client.isHTTP2 else {
            return refuse("gRPC needs HTTP/2; add h2c or h2 to decisions.protocols", as: .malformedRequest, client)
        }
        guard DecisionEndpoint.check.accepts(request.head.method), Self.isGRPC(request) else {
            return refuse("the request is not a call of gRPC", as: .malformedRequest, client)
        }
        readBody(atMost: CheckRequest.bodyLimit, client)
    }

    private static func isGRPC(_ request: RequestView) -> Bool {
        request.fields.count(of: .contentType) == 1
            && request.fields.first(.contentType).map { GRPCType.matches($0.value.bytes(in: request.bytes)) } == true
    }

    func decideCheck(
        _ body: [UInt8], _ client: ClientHandler, _ settings: DecisionSettings, _ worker: Worker,
        _ context: RequestPipeline.Context
    ) {
        let message: CheckRequest
        do throws(ProtobufError) {
            message = try CheckRequest(body: body)
        } catch {
            return refuse("CheckRequest: \(error.reason)", as: .malformedRequest, client)
        }
        check = message
        let original: OriginalRequest
        do throws(DescriptionError) {
            original = try OriginalRequestReader(settings.fields, scratch: context.scratch).read(message)
        } catch {
            return refuse(error.reason, as: .malformedRequest, client)
        }
        begin(original, client)
        original.withView { view in
            if let trace = worker.traceContext(of: view) { client.record.trace = trace.parent.trace }
            decide(original, view, client, worker, context)
        }
    }

    func respond(
        permitting lines: [UInt8], _ permit: Permit, _ check: CheckRequest, _ client: ClientHandler,
        _ settings: DecisionSettings
    ) {
        var auth: JSONDocument?
        if let principal = permit.identity?.identity.isTooLarge == true ? nil : permit.identity?.principal {
            auth = try? JSONDocument(principal.variable, limits: JSONLimits(size: 65_536, depth: 96, members: 8_192))
            guard auth != nil else { return respond(denyingCheck: Denial(.internalError), client) }
        }
        let message =
            permit.identity?.identity.isTooLarge == true
            ? nil : settings.permitting.render(identity: lines, auth: auth?.root, for: check)
        guard let message else { return refuseIdentity(client, settings) }
        client.respond(with: StaticResponse(grpcMessage: message))
    }

    func respond(denyingCheck denial: Denial, _ client: ClientHandler) {
        var (denial, record) = (denial, client.record)
        let status = DecisionStatus.status(of: denial.code)
        if record.clearsCookie { denial.cookieLine = client.connectionContext.clearingCookie }
        record.wantsGRPC = false
        let problem = ProblemResponse(
            denial: denial, status: status, record: record, closes: false, additions: additions)
        let message = CheckResponse.denying(problem, status: status)
        client.record.code = denial.code
        checkStatus = status
        client.respond(with: StaticResponse(grpcMessage: message))
    }
}
