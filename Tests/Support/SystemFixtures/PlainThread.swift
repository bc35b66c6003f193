import Foundation

/// A thread that holds nothing when its body has returned: what Foundation's keep is let go only as the thread ends, when sanitizers no longer
/// know it.
enum PlainThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs `body` on a thread of its own.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let argument = Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let failure = pthread_create(
            &thread, nil,
            { argument in
                #if canImport(Darwin)
                    let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                #else
                    // pthread_create passes on what it got, which is not nil.
                    let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                #endif
                body.run()
                return nil
            }, argument)
        precondition(failure == 0, "no thread could be made")
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }
}
