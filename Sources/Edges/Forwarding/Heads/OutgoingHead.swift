package import Authentication
package import GatewayConfiguration
package import GatewayCore
package import HTTPWire
package import NIOCore
package import RequestPipeline

/// The heads of permitted requests, converted from the client's bytes to the upstream's.
///
/// All managed fields, all hop-by-hop fields and the credential are removed before the gateway's own fields are added.
package final class OutgoingHead: Sendable {
    package let hygiene: HeaderHygiene
    package let identity: IdentityRenderer
    let locator: CredentialLocator
    let forwardsCredential: Bool
    /// Whether the client's App Check token is forwarded although the gateway checks it. Rules cannot read it.
    let forwardsAppToken: Bool
    /// Whether a client's trace context is passed on.
    package let acceptsTrace: Bool

    package init(
        hygiene: HeaderHygiene, identity: IdentityRenderer, locator: CredentialLocator, forwardsCredential: Bool,
        forwardsAppToken: Bool = false, acceptsTrace: Bool = true
    ) {
        self.forwardsAppToken = forwardsAppToken
        self.acceptsTrace = acceptsTrace
        self.hygiene = hygiene
        self.identity = identity
        self.locator = locator
        self.forwardsCredential = forwardsCredential
    }

    /// The client and upstream-specific parts of a request.
    package struct Route {
        /// The client.
        package let peer: PeerAddress
        /// The `Host` for an HTTP/1.0 request without one.
        package let fallbackHost: [UInt8]
        /// The line of the assertion for that upstream. Empty if no assertion is sent.
        package let assertion: [UInt8]
        /// The trailer fields that may follow the body. Only these are announced.
        package var trailers: TrailerFilter?

        package init(peer: PeerAddress, fallbackHost: [UInt8], assertion: [UInt8], trailers: TrailerFilter? = nil) {
            self.peer = peer
            self.fallbackHost = fallbackHost
            self.assertion = assertion
            self.trailers = trailers
        }
    }

    /// The request and trace IDs that are passed on.
    package struct TraceIDs {
        package let request: (UInt64, UInt64)
        package let trace: (UInt64, UInt64)
        package let span: UInt64
        /// The flags of a written `traceparent`: sampled (1), random (2).
        let flags: UInt8
        /// The client's trace context to pass on. `nil` if the trace starts here.
        let context: TraceContext?
        /// Whether the upstream's parent is the client's. Otherwise, it is `span`.
        let keepsParent: Bool

        /// Creates the IDs of a span of the gateway.
        ///
        /// - Parameters:
        ///   - flags: Sampled (1) and random (2).
        ///   - context: The client's context, whose `tracestate` is passed on.
        package init(
            request: (UInt64, UInt64), trace: (UInt64, UInt64), span: UInt64, flags: UInt8 = 0,
            continuing context: TraceContext? = nil
        ) {
            self.request = request
            self.trace = trace
            self.span = span
            self.flags = flags & 3
            self.context = context
            keepsParent = false
        }

        /// Creates the IDs for a context that is passed on unchanged.
        package init(request: (UInt64, UInt64), passing context: TraceContext) {
            self.request = request
            trace = context.parent.trace
            (span, flags) = (0, 0)
            self.context = context
            keepsParent = true
        }
    }

    /// Returns the assertion's line for an upstream, from the cache or newly signed. Empty if no assertion is sent.
    /// `nil` if signing fails; the request must not be forwarded then.
    package func assertion(
        for identity: VerifiedTokenCache.Entry?, upstream: Int, now: @autoclosure () -> Int64
    ) -> [UInt8]? {
        guard let signer = self.identity.assertion, let entry = identity else { return [] }
        return signer.line(for: entry, upstream: upstream, now: now())
    }

    /// Renders the head of a permitted request into `output`, replacing its content.
    ///
    /// - Parameter balanceValue: The hash by which its server is chosen. `nil` without a value.
    /// - Returns: The request for an upstream connection. `nil` if the head could not be rendered.
    package func render(
        _ request: RequestView, _ permit: Permit, _ route: Route, _ traceIDs: TraceIDs, balanceValue: UInt64? = nil,
        into output: inout ByteBuffer
    ) -> OutgoingRequest? {
        guard writeHead(of: request, permit, route, traceIDs, into: &output) else { return nil }
        return OutgoingRequest(
            method: request.head.method, isChunked: request.head.framing == .chunked, trailers: route.trailers,
            responseTimeout: permit.plan.responseTimeout, upgrade: permit.upgrade, balanceValue: balanceValue)
    }

    private func writeHead(
        of request: RequestView, _ permit: Permit, _ route: Route, _ traceIDs: TraceIDs, into output: inout ByteBuffer
    ) -> Bool {
        let identitySize = permit.identity.map { $0.identity.bytes.count + route.assertion.count + 32 } ?? 0
        let host = max(request.head.host.count, route.fallbackHost.count)
        let bound =
            request.bytes.count + permit.path.count + identitySize + host * 3 + route.peer.forwardedLines.count
            + route.peer.forwardedParameters.count + route.peer.forwardedHops.count
            + (permit.plan.host?.count ?? 0) + (permit.app?.line.count ?? 0) + (permit.upgrade?.lines.count ?? 0) + 448
        return output.render(from: request.bytes, atMost: bound) { writer in
            writeRequestLine(request, permit, route, &writer)
            writeKeptFields(request, permit, &writer)
            writeIdentity(permit, route.assertion, &writer)
            if !permit.plan.isThirdParty {
                writeTrace(request, traceIDs, &writer)
                writeForwarded(request, route, &writer)
            }
            writeFraming(request.head.framing, &writer)
            if let upgrade = permit.upgrade { writer.append(upgrade.lines) }
            route.trailers?.announce(in: &writer)
            writer.append("\r\n")
        }
    }

    private func writeRequestLine(
        _ request: RequestView, _ permit: Permit, _ route: Route, _ writer: inout HeadWriter
    ) {
        writer.keep(request.head.methodRange)
        writer.append(" ")
        writer.append(permit.path)
        if let places = permit.plan.places, places.takesParameter {
            places.writeQuery(of: request, &writer)
        } else if let query = request.head.query {
            writer.append("?")
            writer.keep(query)
        }
        writer.append(" HTTP/1.1\r\n")
        // An HTTP/1.0 request without the field; its target may contain the host.
        if let host = permit.plan.host {
            writer.append("Host: ")
            writer.append(host)
            writer.append("\r\n")
        } else if !request.fields.contains(.host) {
            writer.append("Host: ")
            writeHost(request, route, &writer)
            writer.append("\r\n")
        }
    }

    private func writeKeptFields(_ request: RequestView, _ permit: Permit, _ writer: inout HeadWriter) {
        let (plan, credentials) = (permit.plan, permit.credentials)
        for index in 0..<request.fields.count {
            let field = request.fields[index]
            if hygiene.removes(field, of: request.bytes) { continue }
            if plan.isThirdParty, isPrivate(field, in: request.bytes) { continue }
            if field.kind == .host, field.value.isEmpty || plan.host != nil { continue }
            if let places = plan.places, places.holdsProtocols(field, in: request.bytes) {
                places.writeProtocols(of: field, in: request.bytes, &writer)
                continue
            }
            // Written below in canonical form.
            if field.kind == .contentLength { continue }
            if !forwardsCredential, locator.holds(credentials, field, at: index, in: request.bytes) {
                // A cookie field keeps its other cookies byte for byte. The field with the Bearer token is removed
                // completely.
                if field.kind == .cookie { locator.writeCookiesWithoutOurs(of: field, in: request.bytes, &writer) }
            } else {
                writer.keep(field.line)
            }
        }
    }

    /// The usual fields of credentials, of the page and of traces, in any spelling. Fields about the client are managed
    /// ones.
    private static let privateFields = ManagedFieldMatcher(
        exact: [
            "Authorization", "Cookie", "Proxy-Authorization", "\(AppCheckField.name)", "Referer", "Baggage", "B3",
            "X-Cloud-Trace-Context",
        ], prefixes: ["X-B3-"])

    /// Whether a third party must not receive a field.
    private func isPrivate(_ field: Field, in head: UnsafeRawBufferPointer) -> Bool {
        locator.mayHoldCredential(field, in: head) || Self.privateFields.matches(field.name.bytes(in: head))
    }

    /// Returns the trailer fields that may follow a request's body. `nil` if no trailer is permitted.
    package func trailers(of request: RequestView) -> TrailerFilter? {
        guard request.head.framing == .chunked else { return nil }
        return TrailerFilter(announcedIn: request.fields, of: request.bytes, managed: hygiene.managed)
    }

    /// Returns whether rules may read a field: all forwarded fields except those that may carry a credential.
    package func showsRules(_ field: Field, of request: RequestView) -> Bool {
        switch field.kind {
        case .authorization, .proxyAuthorization, .cookie: return false
        case .host where field.value.isEmpty: return false
        default:
            if forwardsAppToken, ASCII.equals(field.name.bytes(in: request.bytes), AppCheckField.name) { return false }
            return !hygiene.removes(field, of: request.bytes) && !locator.mayHoldCredential(field, in: request.bytes)
        }
    }

    private func writeFraming(_ framing: BodyFraming, _ writer: inout HeadWriter) {
        switch framing {
        case .chunked: writer.append("Transfer-Encoding: chunked\r\n")
        case .length(let length):
            writer.append("Content-Length: ")
            writer.append(decimal: length)
            writer.append("\r\n")
        case .none, .untilClose: break
        }
    }

    private func writeIdentity(_ permit: Permit, _ assertion: [UInt8], _ writer: inout HeadWriter) {
        if let app = permit.app { writer.append(app.line) }
        guard let entry = permit.identity else { return }
        entry.identity.bytes.withUnsafeBytes { lines in
            guard let signedInAt = permit.signedInAt, entry.facts.authTime.isBefore(signedInAt) else {
                return writer.append(lines)
            }
            writer.append(UnsafeRawBufferPointer(rebasing: lines[..<entry.identity.lengthBeforeTime]))
            writer.append(identity.timeLine(signedInAt))
        }
        if !assertion.isEmpty { writer.append(assertion) }
    }

    /// Writes `X-Request-Id` and the trace context.
    private func writeTrace(_ request: RequestView, _ traceIDs: TraceIDs, _ writer: inout HeadWriter) {
        writer.append(requestID: traceIDs.request)
        if traceIDs.keepsParent, let context = traceIDs.context { return context.write(request, &writer) }
        writer.append("traceparent: 00-")
        writer.append(hexadecimal: traceIDs.trace.0)
        writer.append(hexadecimal: traceIDs.trace.1)
        writer.append("-")
        writer.append(hexadecimal: traceIDs.span)
        writer.append("-0")
        writer.append(UInt8(ascii: "0") + traceIDs.flags)
        writer.append("\r\n")
        traceIDs.context?.writeState(request, &writer)
    }

    private func writeForwarded(_ request: RequestView, _ route: Route, _ writer: inout HeadWriter) {
        writer.append(route.peer.forwardedLines)
        writer.append("X-Forwarded-Host: ")
        writeHost(request, route, &writer)
        writer.append("\r\nForwarded: ")
        writer.append(route.peer.forwardedParameters)
        writer.append("\"")
        writeHost(request, route, &writer)
        writer.append("\"")
        writer.append(route.peer.forwardedHops)
        writer.append("\r\n")
    }

    private func writeHost(_ request: RequestView, _ route: Route, _ writer: inout HeadWriter) {
        let host = request.head.host
        if host.isEmpty { writer.append(route.fallbackHost) } else { writer.keep(host) }
    }
}

/// The request fields that are never forwarded, on any route.
package struct HeaderHygiene: Sendable {
    package let managed: ManagedFieldMatcher
    /// Whether the client's App Check token is forwarded, in the field with its exact name only.
    private let keepsAppToken: Bool

    /// Creates the rules.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the identity fields, for example `X-Auth-`.
    ///   - extra: The names of additional identity fields.
    ///   - removed: Further fields that the configuration removes.
    ///   - appToken: The treatment of the field of App Check tokens.
    package init(
        prefix: String, extra: [String], removed: Configuration.RemovedFields = Configuration.RemovedFields(),
        appToken: AppTokenField = .ordinary
    ) {
        keepsAppToken = appToken == .kept
        managed = ManagedFieldMatcher(
            exact: [
                String(prefix.dropLast()), "Forwarded", "X-Real-IP", "True-Client-IP", "X-HTTP-Method-Override",
                "X-HTTP-Method", "X-Method-Override", "X-Request-Id", "traceparent", "tracestate",
                // CGI exports it as HTTP_PROXY, which many HTTP clients use as their proxy.
                "Proxy",
            ] + extra + removed.names + (appToken != .ordinary ? ["\(AppCheckField.name)"] : []),
            prefixes: [prefix, "X-Forwarded-", "X-Original-", "X-Rewrite-", "X-Envoy-Original-"] + removed.prefixes)
    }

    /// Returns whether a field is connection-specific, or reserved for the gateway.
    @inline(__always)
    func removes(_ field: Field, of head: UnsafeRawBufferPointer) -> Bool {
        switch field.kind {
        case .host, .contentLength: return false
        // The permitted trailers are announced again.
        case .expect, .trailer: return true
        default:
            guard field.isHopByHop || managed.matches(field.name.bytes(in: head)) else { return false }
            return !keepsAppToken || field.isHopByHop
                || !ASCII.equals(field.name.bytes(in: head), AppCheckField.name)
        }
    }

    /// The treatment of the field of App Check tokens.
    package enum AppTokenField: Sendable {
        /// The gateway does not check App Check tokens.
        case ordinary
        /// It is removed in every spelling.
        case removed
        /// It is forwarded by its exact name. Other spellings, which were not checked, are removed.
        case kept
    }
}
