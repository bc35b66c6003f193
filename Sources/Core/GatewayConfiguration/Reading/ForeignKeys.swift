/// Names of settings in nginx, Traefik, Caddy, Envoy and oauth2-proxy, and what to write in their place.
enum ForeignKeys {
    /// The replacements by the path of the mapping: the foreign names, without case, `_` and `-`, and the remedy, or
    /// the key to write.
    static let table: [String: [(names: [String], meant: String)]] = [
        "": [
            (["address", "bind", "port", "http", "httpaddress", "entrypoints", "servers"], "listen"),
            (["tls", "ssl", "https"], "write tls in an entry of listen, with certificate and private_key"),
            (["backend", "backends", "services", "clusters"], "upstreams"),
            (["locations", "routers", "paths", "match", "handle"], "routes"),
            (["firebase", "project"], "write identity: { firebase: { project: ID } }"),
            (["providers", "provider", "oidc", "auth", "authentication"], "identity"),
            (["timeout", "timeouts"], "write limits.request_timeout, or response_timeout of an upstream or a route"),
            (["logging", "accesslog", "errorlog", "loglevel"], "log"),
            (["redis", "database", "sessions"], "store"),
            (["trustedips", "trustedproxyip", "setrealipfrom", "realipheader", "forwardedheaders"], "trusted_proxies"),
            (["metrics", "health"], "admin"), (["cors"], "write cors in a route"),
        ],
        "listen[]": [
            (["port"], "write it in address, as in 127.0.0.1:8080"), (["bind", "host", "listen", "url"], "address"),
            (["ssl", "https"], "tls"),
            (
                ["certificate", "privatekey", "cert", "key"],
                "write it in tls: { certificate: FILE, private_key: FILE }"
            ),
        ],
        "listen[].tls": [
            (["cert", "certfile", "crt", "sslcertificate"], "certificate"),
            (["key", "keyfile", "sslcertificatekey"], "private_key"),
            (["ca", "cafile", "cafiles", "sslclientcertificate", "trustpool"], "client_ca"),
            (["minversion", "sslprotocols", "protocols"], "minimum_version"),
        ],
        "limits": [
            (
                ["timeout", "writetimeout"],
                "write request_timeout for a whole request, or idle_timeout without progress"
            ),
            (["readheadertimeout", "clientheadertimeout"], "head_timeout"),
            (["keepalivetimeout", "readtimeout"], "idle_timeout"),
            (["clientmaxbodysize", "maxsize", "maxbodysize", "maxrequestbodybytes"], "body_size"),
            (["maxheaderbytes", "largeclientheaderbuffers"], "head_size"),
            (["workerconnections", "maxconnections"], "connections"),
        ],
        "identity": [
            (["project", "projectid"], "write it in firebase: { project: ID }"),
            (["issuer", "audience", "oidc"], "write it in an entry of providers"),
            (["cookie", "cookiename"], "write credentials: { cookie: NAME }"),
        ],
        "upstreams.*": [
            (["timeout", "proxyreadtimeout", "readtimeout", "responseheadertimeout"], "response_timeout"),
            (["dialtimeout", "proxyconnecttimeout"], "connect_timeout"),
            (["url", "urls", "address", "host", "to", "target", "targets", "backend", "endpoints"], "servers"),
            (["loadbalancer", "lb", "lbpolicy", "policy", "strategy"], "balance"),
            (["healthcheck", "healthchecks", "healthuri"], "health"),
            (["maxconns", "maxconnections", "keepalive"], "connections"),
            (["weight"], "write it in servers: [{ url: URL, weight: 2 }]"),
            (["maxfails", "failtimeout", "outlierdetection", "passivehealthcheck", "circuitbreaker"], "ejection"),
            (["retries", "proxynextupstream", "lbtries"], "retry"),
            (["proto", "httpversion", "proxyhttpversion", "versions"], "protocol"),
        ],
        "upstreams.*.http2": [
            (["maxconcurrentstreams", "maxstreams", "streams"], "streams_per_connection"),
            (["initialstreamwindowsize", "initialwindowsize"], "stream_window"),
            (["initialconnectionwindowsize"], "connection_window"),
        ],
        "upstreams.*.tls": [
            (["cert", "certfile", "crt"], "certificate"), (["key", "keyfile"], "private_key"),
            (["sni", "proxysslname"], "server_name"),
            (
                ["insecure", "insecureskipverify", "verify"],
                "write ca: FILE with the authority; servers are always verified"
            ),
        ],
        "upstreams.*.health": [
            (["uri", "url", "endpoint"], "path"), (["expectstatus", "expectedstatus"], "status"),
            (["passes", "rise"], "healthy"), (["fails", "fall"], "unhealthy"),
        ],
        "upstreams.*.retry": [
            (["true"], "did you mean 'conditions'? tools that read YAML 1.1 rewrite the key on as true"),
            (["when", "retryon", "status", "statuses"], "conditions"),
            (["count", "numretries", "retries", "tries", "max"], "attempts"),
        ],
        "routes[]": [
            (["prefix", "pathprefix", "location"], "write path: /x/{rest=**}"),
            (["match", "uri", "url", "pattern"], "path"),
            (["backend", "cluster", "service", "proxypass", "reverseproxy", "target", "to"], "upstream"),
            (["timeout", "proxyreadtimeout", "requesttimeout"], "response_timeout"),
            (["hostname", "servername", "domain", "domains"], "host"),
            (["skipauth", "public", "authentication", "skipauthroutes"], "auth"),
            (["uristripprefix", "stripprefixes"], "strip_prefix"),
            (["clientmaxbodysize", "maxbodysize"], "body_size"),
            (["websocket", "websockets"], "write upgrade: [websocket]"),
            (["limitreq", "rate"], "rate_limit"),
            (["rules", "condition", "if"], "write a condition as allow, or rules at the top level"),
            (["roles", "groups", "allowedroles", "allowedgroups"], "write allow: 'GROUP' in auth.token.groups"),
            (["addheader", "setheader", "setheaders"], "response_headers"),
        ],
        "routes[].cors": [
            (["alloworigins", "allowedorigins", "accesscontrolalloworiginlist"], "origins"),
            (["allowmethods", "allowedmethods"], "methods"), (["allowheaders", "allowedheaders"], "headers"),
            (["exposeheaders", "exposedheaders"], "expose"), (["allowcredentials"], "credentials"),
        ],
        "routes[].rate_limit[]": [
            (["average", "rate", "limit"], "requests"), (["period", "window", "interval"], "every"),
            (["key", "by"], "per"),
        ],
        "store": [(["path", "file", "host", "address", "type"], "url")],
        "log": [(["file", "path", "output", "accesslog"], "access")],
    ]

    /// Returns the remedy for a foreign key of the mapping at `path`. `nil` if it is unknown.
    static func remedy(for member: YAMLMember, in path: String) -> String? {
        let name = member.key.lowercased().filter { $0 != "_" && $0 != "-" }
        guard let meant = table[path]?.first(where: { $0.names.contains(name) })?.meant else { return nil }
        guard meant.contains(" ") else { return "did you mean '\(meant)'?" }
        guard meant == "write path: /x/{rest=**}", case .scalar(let prefix, _) = member.value.content,
            prefix.hasPrefix("/"), !prefix.contains("${"), prefix.utf8.count <= 200
        else { return meant }
        return "write path: \(prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix)/{rest=**}"
    }
}
