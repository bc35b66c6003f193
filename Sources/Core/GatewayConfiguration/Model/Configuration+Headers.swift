import GatewayCore

extension Configuration {
    /// What the upstream is told about the user (`headers`).
    package struct IdentityHeaders: Sendable, Hashable {
        /// What the identity fields' names begin with (`prefix`): a field name that ends in `-`, at most 64 bytes.
        /// Default: `X-Auth-`.
        package var prefix = "X-Auth-"
        /// Whether the whole `auth` variable is sent (`variable`). Default: true.
        package var variable = true
        /// Whether the credential is forwarded too (`forward_credential`). Default: false.
        package var forwardCredential = false
        /// The signed assertion (`assertion`). Default: nil, none is sent.
        package var assertion: Assertion?
        /// Inbound fields that are removed besides (`remove_inbound`). Default: none.
        package var removeInbound = RemovedFields()
        /// Further fields from claims and expressions (`extra`), in the order of the file, at most 64, no name twice. Default: none.
        package var extra: [ExtraHeader] = []

        /// The defaults.
        package init() {}

        /// The name of the field that carries the `auth` variable: the prefix without its last `-`.
        package var variableName: String { String(prefix.dropLast()) }

        /// The name of the field that carries the signed assertion.
        package var assertionName: String { prefix + "Assertion" }
    }

    /// Inbound fields that never reach an upstream (`headers.remove_inbound`): in any case, and with everything but letters and digits read as
    /// `-`.
    package struct RemovedFields: Sendable, Hashable {
        /// Whole names.
        package var names: [String] = []
        /// Beginnings of names, written with a `*` at the end.
        package var prefixes: [String] = []

        /// None.
        package init() {}
    }

    /// One further field (`headers.extra`).
    package struct ExtraHeader: Sendable, Hashable {
        /// What its value is.
        package enum Source: Sendable, Hashable {
            /// A claim.
            case claim(ClaimPath)
            /// The value of an expression over the `auth` variable.
            case expression(RulesExpression)
        }

        /// The field's name.
        package var name: String
        /// What its value is.
        package var source: Source

        /// A field.
        package init(name: String, source: Source) {
            self.name = name
            self.source = source
        }
    }
}

extension Configuration.IdentityHeaders {
    /// Whether an inbound field of that name is removed before a request is forwarded: what is compared is lower-case,
    /// with everything but letters and digits read as `-`.
    package func removes(_ name: String) -> Bool {
        let normalized = FieldName.normalized(name)
        return normalized == FieldName.normalized(variableName)
            || normalized.hasPrefix(FieldName.normalized(prefix))
            || extra.contains { FieldName.normalized($0.name) == normalized }
            || FieldName.isForgeable(normalized)
            || removeInbound.names.contains { FieldName.normalized($0) == normalized }
            || removeInbound.prefixes.contains { normalized.hasPrefix(FieldName.normalized($0)) }
    }

    /// What `check` tells about the prefix: which inbound fields it costs.
    package var note: String {
        "inbound fields named \(variableName) or beginning with \(prefix) (\(prefix)Token too) are removed"
    }
}
