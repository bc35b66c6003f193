import GatewayCore
import JOSE
import Logging
import Revocation

/// The values that browsers and apps keep in the store during flows.
///
/// The store sees only hashes and sealed values: its readers learn neither tokens nor codes, and a value that they
/// change or move does not open. The expiry of a value is sealed with it, so that a writer cannot extend it.
struct FlowShelf: Sendable {
    let store: any FlowStore
    let clock: GatewayClock
    let keys: SessionKeys
    let logger: Logger
    let requestID: String

    /// The kinds of values.
    enum Kind: String {
        /// An open flow, by its `state`.
        case state
        /// An open sign-in to the operators' console, by its `state`. No callback of accounts takes it.
        case console
        /// A response that a provider's page posted, by a handle. The browser continues with GET.
        case form
        /// The outcome of a flow that the app fetches, by a handle.
        case result
        /// The identity that a flow of an app proved, by the code of the app.
        case code
    }

    func put(
        _ value: String, as kind: Kind, named name: String, of holder: some FlowHolder, lifetime: Int64
    ) async throws {
        let place = try Place(kind, name, holder)
        let now = clock.now()
        let content = Content(value: value, expires: UnixTime(clamping: now).adding(lifetime))
        guard let sealed = keys.sealing.first?.seal(content.bytes, context: place.context) else {
            throw AccountDenial(.internalError, reason: "libcrypto could not seal")
        }
        try await store.putFlow(
            place.name, of: place.holder, value: Base64URL.encode(sealed), lifetime: lifetime, now: now)
    }

    /// Takes a value of the browser with one of the bindings, or of an app. A value that does not open, or opens after
    /// its sealed expiry, is absent.
    func take<Holder: FlowHolder>(
        _ kind: Kind, named name: String, of holders: [Holder]
    ) async throws -> (value: String, holder: Holder)? {
        for holder in holders.prefix(BrowserBinding.maximumTried) {
            let place = try Place(kind, name, holder)
            let now = clock.now()
            guard let sealed = try await store.takeFlow(place.name, of: place.holder, now: now) else { continue }
            let reason: String
            if let content = open(sealed, at: place) {
                if UnixTime(clamping: now) < content.expires { return (content.value, holder) }
                // The store compares the same times, so that only a changed expiry leads here.
                reason = "kept in the store beyond its sealed expiry"
            } else {
                reason = "not sealed for this place with a known session key"
            }
            logger.warning(
                "stored value of a sign-in flow rejected",
                metadata: ["kind": "\(kind.rawValue)", "reason": "\(reason)", "request_id": "\(requestID)"])
        }
        return nil
    }

    private func open(_ text: String, at place: Place) -> Content? {
        guard text.utf8.count <= StoreBounds.maximumFlowSize, let sealed = Base64URL.decode(text) else { return nil }
        for key in keys.sealing {
            guard let bytes = key.open(sealed, context: place.context) else { continue }
            return Content(bytes)
        }
        return nil
    }

    /// The sealed part of a value.
    private struct Content {
        private static let expirySize = 8

        let value: String
        let expires: UnixTime

        init(value: String, expires: UnixTime) {
            self.value = value
            self.expires = expires
        }

        /// Parses the bytes. `nil` if they are too short, or the value is not UTF-8.
        init?(_ bytes: [UInt8]) {
            guard bytes.count >= Self.expirySize,
                let value = String(validating: bytes.dropFirst(Self.expirySize), as: UTF8.self)
            else { return nil }
            let seconds = bytes.prefix(Self.expirySize).reduce(0) { $0 << 8 | UInt64($1) }
            self.init(value: value, expires: UnixTime(clamping: Int64(clamping: seconds)))
        }

        /// The expiry as a big-endian integer of 8 bytes, then the value.
        var bytes: [UInt8] {
            withUnsafeBytes(of: expires.seconds.bigEndian) { Array($0) } + Array(value.utf8)
        }
    }

    /// The place of a value in the store.
    private struct Place {
        let name: SHA256Digest
        let holder: SHA256Digest
        /// The data to which a sealed value is bound: its name, its holder and its kind. The hashes have a fixed
        /// length, so that the bytes are unambiguous.
        let context: [UInt8]

        init(_ kind: Kind, _ text: String, _ owner: some FlowHolder) throws(AccountDenial) {
            name = try owner.name(kind.rawValue, text)
            holder = try owner.holder()
            context = name.bytes + holder.bytes + Array(kind.rawValue.utf8)
        }
    }
}

extension AccountParts {
    /// Returns the shelf for a request. The session keys must be known.
    func shelf(for requestID: String) throws(AccountDenial) -> FlowShelf {
        FlowShelf(store: store, clock: clock, keys: try keys, logger: logger, requestID: requestID)
    }
}
