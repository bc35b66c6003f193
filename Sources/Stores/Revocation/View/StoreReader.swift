/// A worker's way to read the `StoreView`: the same answers, without sharing a cache line with other workers.
///
/// Any thread may use it at any time; two that use the same one are slower, not wrong.
package struct StoreReader: Sendable {
    /// What is read.
    package let view: StoreView
    private let lane: Int

    package init(view: StoreView, lane: Int) {
        self.view = view
        self.lane = lane
    }

    /// What is known of a user. Means something only while `view.age` is not too great.
    package func user(_ key: StoreKey) -> UserLookup {
        view.user(key, lane: lane)
    }

    /// What is known of a user and of a session: as ``user(_:)`` and ``session(_:)``, at the cost of one look.
    @inline(__always)
    package func records(user: StoreKey, session: StoreKey) -> (UserLookup, SessionLookup) {
        view.records(user: user, session: session, lane: lane)
    }

    /// What is known of a session. Means something only while `view.age` is not too great.
    package func session(_ key: StoreKey) -> SessionLookup {
        view.session(key, lane: lane)
    }
}
