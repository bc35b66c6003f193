import Foundation

@testable import Authentication
@testable import SystemFixtures

/// The Admin SDK's verdict on a token.
struct AdminVerdict: Decodable, Sendable {
    /// The uid of an accepted token, in UTF-8.
    let uid: Data?
    /// Otherwise the class of the exception and its message.
    let error: String?
    let message: String?

    var isExpiry: Bool { error?.hasPrefix("Expired") == true }
}

/// The Firebase Admin SDK for Python, run once over all tokens.
struct AdminSDK {
    /// The interpreter that has the SDK; `script/test` names it.
    static let interpreter = ProcessInfo.processInfo.environment["GATEHOUSE_ORACLE_PYTHON"].flatMap {
        $0.isEmpty ? nil : $0
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private struct Setting: Encodable { let project: String, now: Int64 }
    private struct Line: Encodable { let token: Data, kind: String, skew: Int64, tenant: String? }

    let interpreter: String
    /// In seconds.
    var timeLimit = 240.0

    func verdicts(_ cases: [OracleCase], certificates: [UInt8]) throws -> [AdminVerdict] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-oracle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(cases, certificates, to: folder)
        try run(in: folder)
        let lines = try Data(contentsOf: folder.appending(path: "verdicts.jsonl")).split(separator: UInt8(ascii: "\n"))
        guard lines.count == cases.count else {
            throw Failure(description: "\(lines.count) verdicts of \(cases.count) cases")
        }
        return try lines.map { try JSONDecoder().decode(AdminVerdict.self, from: $0) }
    }

    private func write(_ cases: [OracleCase], _ certificates: [UInt8], to folder: URL) throws {
        let encoder = JSONEncoder()
        try encoder.encode(Setting(project: TokenDraft.project, now: TokenDraft.now))
            .write(to: folder.appending(path: "setting.json"))
        try Data(certificates).write(to: folder.appending(path: "certificates.json"))
        var lines = Data()
        for one in cases {
            lines += try encoder.encode(
                Line(
                    token: Data(one.token), kind: one.setting.kind == .idToken ? "id" : "cookie",
                    skew: one.setting.skew,
                    tenant: one.setting.tenant))
            lines.append(UInt8(ascii: "\n"))
        }
        try lines.write(to: folder.appending(path: "cases.jsonl"))
    }

    /// Runs a script of the parent folder on a folder of files. The file `output` receives its output.
    func run(_ script: String = "oracle.py", in folder: URL, arguments: [String] = []) throws {
        let (output, errors) = (folder.appending(path: "output"), folder.appending(path: "errors"))
        for file in [output, errors] { try Data().write(to: file) }
        let path = URL(filePath: #filePath).appending(path: "../../\(script)").standardized.path
        // Nothing of ours may steer the SDK, such as FIREBASE_AUTH_EMULATOR_HOST.
        let process = try SpawnedProcess(
            interpreter, [path, folder.path] + arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
            output: .file(FileHandle(forWritingTo: output)), errors: .file(FileHandle(forWritingTo: errors)))
        guard let status = process.wait(until: .now() + timeLimit) else {
            kill(process.pid, SIGTERM)
            throw Failure(description: "the oracle took more than \(timeLimit) s")
        }
        guard status == 0 else {
            throw Failure(description: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
        }
    }
}
