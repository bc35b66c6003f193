package import Authentication

/// The handling of App Check tokens on one route.
package struct AppCheckPlan: Sendable {
    /// Whether requests without a valid token of a permitted app are denied. Otherwise, they are only counted.
    package let enforces: Bool
    /// Whether each request consumes its token, so that a token permits one request.
    package let consumes: Bool
    /// The bits of the permitted apps.
    private let permitted: UInt64

    /// Creates the plan.
    ///
    /// - Parameters:
    ///   - permitted: The permitted apps; an empty list permits no app. `nil` if all configured ones are.
    ///   - consumes: Whether each request consumes its token. Requires `enforces`.
    package init(enforces: Bool, permitted: [AppCheckApp]?, consumes: Bool = false) {
        self.enforces = enforces
        self.consumes = consumes
        self.permitted = permitted.map { $0.reduce(0) { $0 | $1.bit } } ?? .max
    }

    /// Returns whether the route permits an app.
    package func permits(_ app: AppCheckApp) -> Bool { permitted & app.bit != 0 }
}
