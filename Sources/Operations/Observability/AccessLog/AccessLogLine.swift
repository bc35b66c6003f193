import GatewayCore
import Revocation

/// The format of a line: one JSON object whose members have the same order for every request. `trace_id`, `project`,
/// `tenant`, `app_check`, `app_check_reason`, `app`, `front_end`, `phase`, `reason` and `rule` are omitted if absent.
enum AccessLogLine {
    /// The maximum sizes in bytes before escaping. Clients can choose only the path freely.
    enum Limit {
        static var client: Int { 64 }
        static var method: Int { 32 }
        static var path: Int { 2048 }
        static var uid: Int { 512 }
        static var project: Int { UserKey.maximumProjectSize }
        static var tenant: Int { UserKey.maximumTenantSize }
        static var app: Int { 64 }
        static var route: Int { 512 }
        static var upstream: Int { 128 }
        static var frontEnd: Int { 32 }
        static var reason: Int { 256 }
        static var rule: Int { 512 }
    }

    static func write(_ entry: borrowing AccessLogEntry, timestamp: inout LogTimestamp, to line: inout LogLineWriter) {
        line.raw("{\"time\":\"")
        timestamp.write(milliseconds: entry.time, to: &line)
        // As in the process log, so that one query finds the lines of both.
        line.raw("\",\"level\":\"info\",\"msg\":\"request\",\"request_id\":\"")
        line.hexadecimal(entry.requestID.0)
        line.hexadecimal(entry.requestID.1)
        if entry.traceID != (0, 0) {
            line.raw("\",\"trace_id\":\"")
            line.hexadecimal(entry.traceID.0)
            line.hexadecimal(entry.traceID.1)
        }
        line.raw("\",\"client\":")
        text(entry.client, limit: Limit.client, to: &line)
        if entry.isHTTP2 { line.raw(",\"protocol\":\"h2\"") }
        line.raw(",\"method\":")
        text(entry.method, limit: Limit.method, to: &line)
        line.raw(",\"path\":")
        withBytes(entry.path, of: &line) { $1.string(LogText.path($0, limit: Limit.path)) }
        line.raw(",\"status\":")
        number(entry.status == 0 ? nil : UInt64(entry.status), to: &line)
        line.raw(",\"code\":\"")
        line.raw(entry.code.wire)
        line.raw("\",\"uid\":")
        text(entry.uid, limit: Limit.uid, to: &line)
        if case .none = entry.project {
        } else {
            line.raw(",\"project\":")
            text(entry.project, limit: Limit.project, to: &line)
        }
        if case .none = entry.tenant {
        } else {
            line.raw(",\"tenant\":")
            text(entry.tenant, limit: Limit.tenant, to: &line)
        }
        if let result = entry.appCheck {
            line.raw(",\"app_check\":\"")
            line.raw(result.name)
            line.raw("\"")
        }
        if case .none = entry.appCheckReason {
        } else {
            line.raw(",\"app_check_reason\":")
            text(entry.appCheckReason, limit: Limit.reason, to: &line)
        }
        if case .none = entry.app {
        } else {
            line.raw(",\"app\":")
            text(entry.app, limit: Limit.app, to: &line)
        }
        line.raw(",\"route\":")
        text(entry.route, limit: Limit.route, to: &line)
        line.raw(",\"upstream\":")
        text(entry.upstream, limit: Limit.upstream, to: &line)
        if case .none = entry.frontEnd {
        } else {
            line.raw(",\"front_end\":")
            text(entry.frontEnd, limit: Limit.frontEnd, to: &line)
        }
        if let phase = entry.phase {
            line.raw(",\"phase\":\"")
            line.raw(phase.name)
            line.raw("\"")
        }
        if case .none = entry.reason {
        } else {
            line.raw(",\"reason\":")
            text(entry.reason, limit: Limit.reason, to: &line)
        }
        if case .none = entry.rule {
        } else {
            line.raw(",\"rule\":")
            text(entry.rule, limit: Limit.rule, to: &line)
        }
        numbers(entry, to: &line)
    }

    private static func numbers(_ entry: borrowing AccessLogEntry, to line: inout LogLineWriter) {
        line.raw(",\"duration_us\":")
        line.decimal(entry.durationMicroseconds)
        line.raw(",\"upstream_us\":")
        number(entry.upstreamMicroseconds, to: &line)
        line.raw(",\"bytes_in\":")
        line.decimal(entry.bytesIn)
        line.raw(",\"bytes_out\":")
        line.decimal(entry.bytesOut)
        line.raw("}\n")
    }

    @inline(__always)
    private static func number(_ value: UInt64?, to line: inout LogLineWriter) {
        if let value { line.decimal(value) } else { line.raw("null") }
    }

    @inline(__always)
    private static func text(_ text: AccessLogEntry.Text, limit: Int, to line: inout LogLineWriter) {
        withBytes(text, of: &line) { $1.string(LogText.cut($0, at: limit)) }
    }

    @inline(__always)
    private static func withBytes(
        _ text: AccessLogEntry.Text, of line: inout LogLineWriter,
        _ write: (UnsafeRawBufferPointer, inout LogLineWriter) -> Void
    ) {
        switch text {
        case .none: line.raw("null")
        case .bytes(let bytes): write(bytes, &line)
        case .array(let array): array.withUnsafeBytes { write($0, &line) }
        case .string(var string): string.withUTF8 { write(UnsafeRawBufferPointer($0), &line) }
        case .literal(let literal):
            write(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount), &line)
        }
    }
}
