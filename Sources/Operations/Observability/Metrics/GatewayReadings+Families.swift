import GatewayCore
import Revocation

extension GatewayReadings {
    /// Returns the gateway's metrics. Their names are a contract; docs/reference/metrics.md lists them.
    package func snapshot() -> MetricsSnapshot {
        MetricsSnapshot(
            families: requestFamilies + stageFamilies + http2Families + streamFamilies + tokenFamilies
                + appCheckFamilies + ruleFamilies + introspectionClientFamilies
                + introspectionFamilies + accountFamilies + appConsumptionFamilies + securityEventFamilies
                + eventPollFamilies
                + certificateFamilies + keyFamilies + writeBackFamilies + firebaseFamilies + outboxFamilies
                + upstreamFamilies
                + upstreamServerFamilies + storeFamilies + processFamilies + usageFamilies + decisionFeedFamilies
                + rateLimitFamilies + telemetryFamilies)
    }

    private var requestFamilies: [MetricFamily] {
        [
            MetricFamily(
                "gatehouse_requests_total", help: "Finished requests by route and decision code.", .counters(requests)),
            routeHistogram(
                "gatehouse_request_duration_seconds",
                help: "Time from the complete head to the last byte of the response, by route.", .request),
            routeHistogram(
                "gatehouse_decision_duration_seconds",
                help: "Time from the complete head to the permit or denial, by route.", .decision),
            gauge("gatehouse_requests_in_flight", help: "Requests in progress.", counters[.requestsInFlight]),
            gauge("gatehouse_connections", help: "Open client connections.", counters[.connectionsOpen]),
            counter(
                "gatehouse_connections_accepted_total", help: "Client connections accepted.", .connectionsAccepted),
            counter(
                "gatehouse_connections_refused_total",
                help: "Client connections closed immediately because of the limit.",
                .connectionsRefused),
            counter(
                "gatehouse_connections_evicted_total",
                help: "Idle client connections closed to admit new ones.", .connectionsEvicted),
            counter(
                "gatehouse_tls_handshake_failures_total",
                help: "TLS handshakes of clients that failed or timed out.",
                .handshakeFailures),
            counter(
                "gatehouse_proxy_header_failures_total",
                help: "Connections closed because of a missing, invalid or untrusted PROXY header.",
                .proxyHeaderFailures),
            counter("gatehouse_received_bytes_total", help: "Body bytes from clients.", .bytesReceived),
            counter("gatehouse_sent_bytes_total", help: "Body bytes to clients.", .bytesSent),
        ]
    }

    private var introspectionClientFamilies: [MetricFamily] {
        [
            MetricFamily(
                "gatehouse_introspection_client_failures_total",
                help: "Introspection requests whose client was not authenticated, by result.",
                .counters([
                    MetricSample([("result", "refused")], counters[.introspectionClientsRefused]),
                    MetricSample([("result", "limited")], counters[.introspectionClientsLimited]),
                ]))
        ]
    }

    /// The durations of stages of a request that other histograms do not include.
    private var stageFamilies: [MetricFamily] {
        let stages: [(String, WorkerCounters.Timing)] = [
            ("tls_handshake", .handshake), ("queue", .queue), ("connect", .connect),
        ]
        return [
            MetricFamily(
                "gatehouse_stage_seconds", help: "Time spent in stages of a request.",
                .histograms(stages.map { MetricSample([("stage", $0)], latencies($1)) }))
        ]
    }

    private var streamFamilies: [MetricFamily] {
        [
            gauge("gatehouse_streams", help: "Open tunnels and event streams.", counters[.streamsOpen]),
            MetricFamily(
                "gatehouse_streams_opened_total", help: "Opened streams by kind.",
                .counters([
                    MetricSample([("kind", "tunnel")], counters[.streamsTunneled]),
                    MetricSample([("kind", "answer")], counters[.streamsAnswered]),
                ])),
            counter(
                "gatehouse_streams_refused_total",
                help: "Streams and long exchanges closed because the token expired or was revoked.",
                .streamsRefused),
        ]
    }

    private var http2Families: [MetricFamily] {
        let reasons: [(String, WorkerCounters.Counter)] = [
            ("protocol", .http2ProtocolErrors), ("resets", .http2Resets), ("control_frames", .http2ControlFrames),
            ("continuation", .http2Continuations), ("settings", .http2Settings), ("timeout", .http2Timeouts),
            ("encoding", .http2EncodingErrors), ("ping_timeout", .http2PingTimeouts),
        ]
        return [
            gauge("gatehouse_http2_connections", help: "Open HTTP/2 connections.", counters[.http2Connections]),
            gauge("gatehouse_http2_streams", help: "Open HTTP/2 streams.", counters[.http2Streams]),
            counter("gatehouse_http2_requests_total", help: "Finished requests over HTTP/2.", .http2Requests),
            counter(
                "gatehouse_http2_streams_refused_total", help: "HTTP/2 streams refused because of the limit.",
                .http2StreamsRefused),
            MetricFamily(
                "gatehouse_http2_connection_errors_total",
                help: "HTTP/2 connections that the gateway closed with an error, by reason.",
                .counters(reasons.map { MetricSample([("reason", $0)], counters[$1]) })),
        ]
    }

    private var tokenFamilies: [MetricFamily] {
        [
            counter(
                "gatehouse_token_cache_hits_total", help: "Token verifications avoided by the cache.", .tokenCacheHits),
            counter(
                "gatehouse_token_cache_misses_total", help: "Tokens that were not in the cache.", .tokenCacheMisses),
            counter(
                "gatehouse_token_cache_evictions_total", help: "Verified tokens evicted from the cache.",
                .tokenCacheEvictions),
            gauge("gatehouse_token_cache_entries", help: "Verified tokens in the cache.", counters[.tokenCacheEntries]),
        ]
    }

    private var ruleFamilies: [MetricFamily] {
        let outcomes: [(WorkerCounters.Counter, String)] = [
            (.rulesAllowed, "allowed"), (.rulesDenied, "denied"), (.rulesFailed, "failed"),
            (.rulesSteppedUp, "step-up"),
        ]
        return [
            MetricFamily(
                "gatehouse_denials_total", help: "Requests denied, by the phase of the decision that denied them.",
                .counters(
                    DecisionPhase.allCases.map { MetricSample([("phase", "\($0.name)")], counters.denials(in: $0)) })),
            MetricFamily(
                "gatehouse_rule_decisions_total", help: "Decisions by security rules, by their outcome.",
                .counters(outcomes.map { MetricSample([("outcome", $1)], counters[$0]) })),
        ]
    }

    private var certificateFamilies: [MetricFamily] {
        guard !certificates.isEmpty else { return [] }
        return [
            MetricFamily(
                "gatehouse_tls_certificate_expiry_seconds",
                help: "Earliest expiry in a listener's certificate chain, in seconds since 1970.",
                .gauges(
                    certificates.map {
                        MetricSample([("listener", $0.listener), ("subject", $0.subject)], Double($0.expiry))
                    })),
            MetricFamily(
                "gatehouse_tls_reloads_total", help: "Successful reloads of certificates.",
                .counters([MetricSample([], certificateRenewals)])),
            MetricFamily(
                "gatehouse_tls_reload_failures_total",
                help: "Failed reloads of certificates; the previous ones stay in use.",
                .counters([MetricSample([], certificateFailures)])),
        ]
    }

    private var keyFamilies: [MetricFamily] {
        [
            MetricFamily(
                "gatehouse_key_set_age_seconds",
                help: "Time since the key set was fetched; +Inf before the first time.",
                .gauges(keySets.map { MetricSample([("key_set", $0.url)], $0.age ?? .infinity) })),
            MetricFamily(
                "gatehouse_key_set_keys", help: "Usable keys of the set.",
                .gauges(keySets.map { MetricSample([("key_set", $0.url)], Double($0.keys)) })),
            MetricFamily(
                "gatehouse_key_set_fetches_total", help: "Fetches of the key set by their result.",
                .counters(
                    keySets.flatMap { set in
                        [
                            MetricSample([("key_set", set.url), ("result", "ok")], set.fetches),
                            MetricSample([("key_set", set.url), ("result", "failed")], set.failures),
                        ]
                    })),
        ]
    }

    private var storeFamilies: [MetricFamily] {
        [
            MetricFamily(
                "gatehouse_store_age_seconds", help: "Age of the revocation view; +Inf before it was first read.",
                .gauges([MetricSample([], storeAge ?? .infinity)])),
            gauge("gatehouse_store_users", help: "Users in the revocation view.", Int64(storeUsers)),
            gauge("gatehouse_store_sessions", help: "Sessions in the revocation view.", Int64(storeSessions)),
            histogram(
                "gatehouse_store_read_duration_seconds", help: "Time of store queries during requests.",
                .storeRead),
            counter("gatehouse_store_reads_total", help: "Store queries during requests.", .storeReads),
            counter(
                "gatehouse_store_read_failures_total", help: "Store queries that failed or timed out.",
                .storeReadFailures),
            counter(
                "gatehouse_store_failures_allowed_total",
                help: "Requests permitted despite a store failure (on_store_failure: allow).",
                .storeFailuresAllowed),
            gauge("gatehouse_store_faulty_records", help: "Invalid records of the store.", Int64(storeFaulty)),
            gauge(
                "gatehouse_store_writable", help: "1 while the store is known to accept writes.",
                storeIsWritable ? 1 : 0),
        ] + (storeHealth.map(sharedStoreFamilies) ?? [])
    }

    private func sharedStoreFamilies(_ health: StoreHealth) -> [MetricFamily] {
        [
            gauge(
                "gatehouse_store_connected", help: "1 while the gateway receives changes of the store.",
                health.isConnected ? 1 : 0),
            MetricFamily(
                "gatehouse_store_lost_records", help: "Records that the store has lost and the gateway keeps.",
                .gauges([
                    MetricSample([("kind", "user")], Double(health.loss.users)),
                    MetricSample([("kind", "session")], Double(health.loss.sessions)),
                ])),
            gauge(
                "gatehouse_store_went_back", help: "1 while the store has lost a part of its history.",
                health.loss.wentBack ? 1 : 0),
            MetricFamily(
                "gatehouse_store_changes_total", help: "Changes received from the store.",
                .counters([MetricSample([], health.changes)])),
            MetricFamily(
                "gatehouse_store_malformed_changes_total", help: "Invalid changes received from the store.",
                .counters([MetricSample([], health.malformedChanges)])),
            MetricFamily(
                "gatehouse_store_readings_total", help: "Complete reads of the store by reason.",
                .counters(health.readings.map { MetricSample([("reason", $0.reason)], $0.count) })),
        ] + (health.credentials.map(credentialFamilies) ?? []) + (health.cluster.map(clusterFamilies) ?? [])
    }

    private func clusterFamilies(_ cluster: StoreHealth.Cluster) -> [MetricFamily] {
        [
            MetricFamily(
                "gatehouse_store_redirects_total", help: "Commands that a node of the Redis Cluster did not execute.",
                .counters(cluster.redirects.map { MetricSample([("kind", $0.reason)], $0.count) })),
            MetricFamily(
                "gatehouse_store_topology_age_seconds",
                help: "Time since half of the masters of the Redis Cluster reported their topology.",
                .gauges([MetricSample([], cluster.topologyAge ?? .infinity)])),
        ]
    }

    private func credentialFamilies(_ credentials: StoreHealth.Credentials) -> [MetricFamily] {
        [
            MetricFamily(
                "gatehouse_store_credential_renewals_total",
                help: "Renewals of the credentials for the store by result.",
                .counters([
                    MetricSample([("result", "success")], credentials.renewals),
                    MetricSample([("result", "failure")], credentials.failures),
                ])),
            gauge(
                "gatehouse_store_credentials_failing", help: "1 while the last renewal of the credentials failed.",
                credentials.failing == nil ? 0 : 1),
        ]
            + (credentials.expires.map { expires in
                [
                    gauge(
                        "gatehouse_store_credentials_expiry_seconds",
                        help: "Time at which the credentials for the store expire, in seconds since 1970.",
                        expires.seconds)
                ]
            } ?? [])
    }

    private var processFamilies: [MetricFamily] {
        [
            counter(
                "gatehouse_access_log_dropped_total", help: "Access log lines dropped because the buffer was full.",
                .accessLogDropped),
            MetricFamily(
                "gatehouse_access_log_lost_total", help: "Access log lines that could not be written.",
                .counters([MetricSample([], accessLogLost)])),
            MetricFamily(
                "gatehouse_admin_connections_closed_total",
                help: "Admin connections closed because of the limit.",
                .counters([MetricSample([], adminClosed)])),
            MetricFamily(
                "gatehouse_log_unwritten_total", help: "Lines of the log on standard error that were not written.",
                .counters([
                    MetricSample([("reason", "dropped")], processLog?.dropped ?? 0),
                    MetricSample([("reason", "lost")], processLog?.lost ?? 0),
                    MetricSample([("reason", "suppressed")], processLog?.suppressed ?? 0),
                ])),
            gauge("gatehouse_ready", help: "1 when /readyz answers 200.", isReady ? 1 : 0),
            MetricFamily(
                "gatehouse_insecure_option", help: "1 for each insecure option that is on.",
                .gauges(insecureOptions.map { MetricSample([("option", $0)], 1) })),
            MetricFamily(
                "gatehouse_config_reloads_total", help: "Configuration reloads by result.",
                .counters([
                    MetricSample([("result", "ok")], reloads.accepted),
                    MetricSample([("result", "refused")], reloads.refused),
                ])),
            gauge(
                "gatehouse_config_generation", help: "Number of the active configuration, starting at 1.",
                Int64(clamping: generation)),
            gauge(
                "gatehouse_config_last_reload_successful", help: "0 if the last reload was rejected.",
                reloads.lastRefusal == nil ? 1 : 0),
            gauge("gatehouse_workers", help: "Event loops that serve requests.", Int64(workers)),
            gauge("gatehouse_start_time_seconds", help: "Start time of the process, in seconds since 1970.", startTime),
        ]
    }
}

extension GatewayReadings {
    /// Only series with a count: 10,000 routes times all codes would be too many.
    private var requests: [MetricSample<UInt64>] {
        var totals: [String: [UInt64]] = [:]
        for route in -1..<counters.routes {
            let name = name(ofRoute: route)
            for code in DecisionCode.allCases {
                let count = counters.requests(route: route, code: code)
                guard count > 0 else { continue }
                totals[name, default: Array(repeating: 0, count: DecisionCode.count)][Int(code.rawValue)] &+= count
            }
        }
        return totals.sorted { $0.key < $1.key }.flatMap { name, counts in
            DecisionCode.allCases.compactMap { code in
                let count = counts[Int(code.rawValue)]
                return count == 0 ? nil : MetricSample([("route", name), ("code", "\(code.wire)")], count)
            }
        }
    }

    private func name(ofRoute index: Int) -> String { routes.indices.contains(index) ? routes[index] : "none" }

    /// A histogram for each route with a value, for `none`, and for `other`: the routes beyond the limit.
    func routeHistogram(
        _ name: StaticString, help: StaticString, _ timing: WorkerCounters.RouteTiming
    ) -> MetricFamily {
        var totals: [String: LatencyHistogram] = [:]
        for route in -1...counters.timedRoutes {
            let isOther = route == counters.timedRoutes
            let histogram = LatencyHistogram(
                buckets: Array(counters.buckets(timing, route: route)),
                sumNanoseconds: counters.sumNanoseconds(timing, route: route))
            guard route < 0 || (!isOther || route < counters.routes) && histogram.buckets.contains(where: { $0 > 0 })
            else { continue }
            let name = isOther ? "other" : self.name(ofRoute: route)
            totals[name] = totals[name].map { $0 + histogram } ?? histogram
        }
        let samples = totals.sorted { $0.key < $1.key }.map { MetricSample([("route", $0.key)], $0.value) }
        return MetricFamily(name, help: help, .histograms(samples))
    }

    private func counter(
        _ name: StaticString, help: StaticString, _ counter: WorkerCounters.Counter
    ) -> MetricFamily {
        MetricFamily(name, help: help, .counters([MetricSample([], counters[counter])]))
    }

    func gauge(_ name: StaticString, help: StaticString, _ value: Int64) -> MetricFamily {
        MetricFamily(name, help: help, .gauges([MetricSample([], Double(value))]))
    }

    private func histogram(
        _ name: StaticString, help: StaticString, _ timing: WorkerCounters.Timing
    ) -> MetricFamily {
        MetricFamily(name, help: help, .histograms([MetricSample([], latencies(timing))]))
    }

    private func latencies(_ timing: WorkerCounters.Timing) -> LatencyHistogram {
        LatencyHistogram(buckets: Array(counters.buckets(timing)), sumNanoseconds: counters.sumNanoseconds(timing))
    }
}
