import Authentication
package import GatewayCore
import JOSE
package import OutboundHTTP

/// Identity Toolkit's `accounts:lookup`, by uids.
package struct AccountLookup: Sendable {
    /// A uid's UTF-8: texts that look the same are not the same account.
    package typealias UID = [UInt8]

    /// The most bytes of an answer: it tells much more of each account than is asked for.
    package static let sizeLimit = 1 << 20
    private static let limits = JSONLimits(size: sizeLimit, depth: 32, members: 131_072)

    private let url: String

    /// - Parameters:
    ///   - url: with `{project}` where the project's id belongs.
    ///   - tenant: whose accounts are meant; nil: those of the project itself. A uid may be somebody in each.
    package init(url: String, project: String, tenant: String? = nil) {
        let segments = [project] + (tenant.map { ["tenants", $0] } ?? [])
        let id = segments.map { String(decoding: FormEncoding.encoded($0.utf8), as: UTF8.self) }.joined(separator: "/")
        self.url = url.split(separator: "{project}", omittingEmptySubsequences: false).joined(separator: id)
    }

    package func question(_ uids: [UID], token: Secret) -> HTTPQuestion {
        var body = Array(#"{"localId":["#.utf8)
        for (place, uid) in uids.enumerated() {
            if place > 0 { body.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(utf8: uid, to: &body)
        }
        body.append(contentsOf: "]}".utf8)
        let authorization = token.withBytes { "Bearer " + String(decoding: $0, as: UTF8.self) }
        return HTTPQuestion(
            method: .post, url: url,
            fields: [
                ("authorization", authorization), ("content-type", "application/json"), ("accept", "application/json"),
            ],
            body: body)
    }

    /// What the answer says of each of the uids; one that it does not tell of is `missing`.
    package static func read(
        _ reply: HTTPReply, about uids: [UID], now: Int64
    ) -> Result<[UID: AccountStatus.Answer], AskingFailure> {
        guard reply.status == 200 else {
            var failure = AskingFailure(reply, ownCredentials: [401], now: now)
            // Any other status is about whom we ask, or what for. This one may be about one of the uids.
            failure.concernsAll = reply.status != 400
            return .failure(failure)
        }
        do throws(Unproven) {
            let answer = try AnswerReading((try? JSONDocument(reply.body, limits: limits))?.root, "the answer")
            guard answer["error"] == nil else { throw .malformed("an error with status 200") }
            let users = answer["users"]
            guard users.map({ $0.kind == .array }) ?? true else { throw .malformed("users is not an array") }
            return .success(answers(users, uids))
        } catch {
            return .failure(AskingFailure(.malformed, error.detail))
        }
    }

    private static func answers(_ users: JSONValue?, _ uids: [UID]) -> [UID: AccountStatus.Answer] {
        var answers = Dictionary(
            uids.map { ($0, AccountStatus.Answer.missing) }, uniquingKeysWith: { first, _ in first })
        for user in users.map({ Array($0.elements) }) ?? [] {
            guard let uid = user["localId"]?.string.map({ Array($0.utf8) }), let known = answers[uid] else { continue }
            // Who is told of twice is told of in two ways, as far as anybody knows.
            answers[uid] = known == .missing ? Self.answer(of: user) : .unavailable
        }
        return answers
    }

    private static func answer(of user: JSONValue) -> AccountStatus.Answer {
        let disabled = user["disabled"]
        guard disabled == nil || disabled?.bool != nil else { return .unavailable }
        guard let member = user["validSince"] else {
            return .account(validSince: nil, disabled: disabled?.bool ?? false)
        }
        guard let text = member.string, !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let seconds = Int64(text), let validSince = UnixTime(seconds)
        else { return .unavailable }
        return .account(validSince: validSince, disabled: disabled?.bool ?? false)
    }
}
