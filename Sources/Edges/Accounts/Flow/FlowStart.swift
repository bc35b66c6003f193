import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation

/// `GET sign-in/PROVIDER`, `POST link/PROVIDER` and `POST reauthenticate/PROVIDER`: the start of a flow, which leads
/// the browser to the provider.
struct FlowStart {
    let parts: AccountParts
    let flows: CodeFlows

    /// The maximum size of a parameter for the provider, in bytes.
    private static let maximumParameter = 256

    func reply(to call: AccountCall) async throws -> AccountReply {
        let provider = try flows.provider(call.browser.provider)
        switch call.endpoint {
        case .startSignIn: return try await signIn(provider, call)
        case .startLink: return try await start(.link, provider, call)
        default: return try await start(.reauthenticate, provider, call)
        }
    }

    /// Starts a sign-in, or any flow of an app, by navigation. No page can start one as an image, in a frame or ahead
    /// of time.
    private func signIn(_ provider: FlowProvider, _ call: AccountCall) async throws -> AccountReply {
        let browser = call.browser
        let fields = try FlowFields(browser.query)
        let app = try AppStart(fields, flows.targets)
        let ours = ["return_to"] + (app == nil ? [] : AppStart.parameters)
        let returnTo = try app?.returnTo ?? target(fields["return_to"])
        let parameters = try callerParameters(fields.names.filter { !ours.contains($0) }, provider) { fields[$0] }
        var draft = draft(app?.purpose ?? .signIn, provider, returnTo, parameters)
        draft.challenge = app?.challenge
        let (url, binding) = try await begin(draft, provider, call)
        return .redirect(to: url, cookies: [.binding(binding.value)])
    }

    /// Starts a flow of the session's user. A page may send JSON and navigate itself, or a form.
    private func start(
        _ purpose: FlowRecord.Purpose, _ provider: FlowProvider, _ call: AccountCall
    ) async throws -> AccountReply {
        let caller = try call.accountHolder()
        guard let session = caller.session, caller.kind == .sessionCookie, caller.origin != nil else {
            throw AccountDenial(
                .operationNotAllowed, detail: "The flow needs a session cookie of the gateway. Sign in first.")
        }
        let isForm = call.contentType.utf8.elementsEqual("application/x-www-form-urlencoded".utf8)
        var draft = try isForm ? formDraft(purpose, provider, call) : jsonDraft(purpose, provider, call)
        try parts.count(caller.user)
        try await parts.authorizer.require(caller, isRecent: purpose == .link)
        draft.user = caller.user
        draft.session = session
        draft.sessionStart = caller.startedAt
        if purpose == .reauthenticate {
            draft.subject = try await parts.store.account(caller.user)?.links[provider.id]
        }
        let (url, binding) = try await begin(draft, provider, call)
        if isForm { return .redirect(to: url, cookies: [.binding(binding.value)]) }
        return .authorization(url: url, binding: binding.value)
    }

    private func jsonDraft(
        _ purpose: FlowRecord.Purpose, _ provider: FlowProvider, _ call: AccountCall
    ) throws -> FlowOpening.Draft {
        let accepted = provider.callerParameters.sorted()
        let others = ["return_to"] + (purpose == .link ? ["consent"] : [])
        let body = try CallBody(of: call, taking: others + accepted, mayBeEmpty: true)
        let parameters = try callerParameters(accepted.filter(body.has), provider) { name throws(AccountDenial) in
            try body.text(name, atMost: Self.maximumParameter)
        }
        let returnTo = try target(try body.text("return_to", atMost: ReturnTargets.maximumSize))
        var draft = draft(purpose, provider, returnTo, parameters)
        draft.consents = purpose == .link ? try body.flag("consent") : false
        return draft
    }

    private func formDraft(
        _ purpose: FlowRecord.Purpose, _ provider: FlowProvider, _ call: AccountCall
    ) throws -> FlowOpening.Draft {
        let fields = try FlowFields(call.body)
        let others = ["return_to"] + (purpose == .link ? ["consent"] : [])
        let parameters = try callerParameters(fields.names.filter { !others.contains($0) }, provider) { fields[$0] }
        var draft = draft(purpose, provider, try target(fields["return_to"]), parameters)
        draft.consents = purpose == .link && fields["consent"] == "true"
        return draft
    }

    private func draft(
        _ purpose: FlowRecord.Purpose, _ provider: FlowProvider, _ returnTo: ReturnTarget,
        _ parameters: [Configuration.CodeFlow.Parameter]
    ) -> FlowOpening.Draft {
        FlowOpening.Draft(
            purpose: purpose, redirectURI: flows.redirectURI(of: provider), returnTo: returnTo.location,
            parameters: parameters)
    }

    private func target(_ text: String?) throws(AccountDenial) -> ReturnTarget {
        guard let text else { return flows.targets.fallback }
        return try flows.targets.requested(text)
    }

    /// Returns the parameters for the provider. All others are refused, so that no caller replaces one of the
    /// gateway's.
    private func callerParameters(
        _ names: [String], _ provider: FlowProvider, _ value: (String) throws(AccountDenial) -> String?
    ) throws(AccountDenial) -> [Configuration.CodeFlow.Parameter] {
        var parameters: [Configuration.CodeFlow.Parameter] = []
        for name in names {
            guard provider.callerParameters.contains(name), let value = try value(name),
                (1...Self.maximumParameter).contains(value.utf8.count),
                value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
            else {
                let accepted = (["return_to"] + provider.callerParameters.sorted()).joined(separator: ", ")
                throw .malformed("Send no other parameters than \(accepted), as printable ASCII.")
            }
            parameters.append(Configuration.CodeFlow.Parameter(name: name, value: value))
        }
        return parameters
    }

    private func begin(
        _ draft: FlowOpening.Draft, _ provider: FlowProvider, _ call: AccountCall
    ) async throws -> (url: String, binding: BrowserBinding) {
        let visitor = FlowOpening.Visitor(
            binding: call.browser.binding, network: call.network, requestID: call.requestID)
        return try await FlowOpening(parts: parts, flows: flows).begin(
            draft, at: provider, by: visitor, as: .state,
            budget: draft.session == nil ? flows.signInBudget : flows.sessionBudget)
    }
}
