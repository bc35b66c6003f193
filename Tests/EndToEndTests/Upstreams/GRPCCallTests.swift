import Testing

@testable import SystemFixtures

/// Calls of grpcio's client through the gateway to grpcio's server, all with HTTP/2.
@Suite(.enabled(if: RealHTTP2Server.interpreter != nil, "GATEHOUSE_ORACLE_PYTHON names no Python: script/test sets it"))
struct GRPCCallTests {
    /// Prints the result of each call.
    private static let client = """
        import sys, time, grpc
        channel = grpc.insecure_channel("127.0.0.1:" + sys.argv[1])
        method = lambda kind, name: getattr(channel, kind)(
            "/test.Echo/" + name, request_serializer=bytes, response_deserializer=bytes)
        unary = method("unary_unary", "Unary")
        result, call = unary.with_call(b"one", timeout=60)
        trailing = dict(call.trailing_metadata())
        print(result, trailing["x-bin-bin"], 0 < float(trailing["x-remaining"]) <= 60)
        print(method("stream_unary", "ClientStream")(iter([b"a", b"b", b"c"]), timeout=60))
        print(list(method("unary_stream", "ServerStream")(b"s", timeout=60)))
        print(list(method("stream_stream", "Both")(iter([b"1", b"2"]), timeout=60)))
        for message, timeout in [(b"fail", 60), (b"sleep", 1)]:
            try:
                unary(message, timeout=timeout)
            except grpc.RpcError as error:
                print(error.code().name)
        future = unary.future(b"sleep")
        time.sleep(0.5)
        print(future.cancel(), future.cancelled())
        """

    @Test func `all kinds of calls, deadlines and cancellation pass`() async throws {
        let server = try await GRPCServer()
        defer { server.end() }
        try await Scenario.run(
            arrange: { _, _, configuration in
                configuration["workers"] = "1"
                configuration["listen"] = "[{ address: 127.0.0.1:0, protocols: [http/1.1, h2c] }]"
                configuration["upstreams"] =
                    "{ api: { servers: ['http://127.0.0.1:\(server.port)'], protocol: h2c } }"
                configuration.routes = ["path: '/test.Echo/{m}', auth: none, upstream: api"]
            },
            { scenario in
                try server.folder.write(Self.client, to: "client.py")
                let output = try Program.run(
                    RealHTTP2Server.interpreter ?? "", [server.folder.path("client.py"), "\(scenario.gateway.port)"])
                #expect(
                    output.split(separator: "\n") == [
                        "b'one' b'\\x00\\xff' True", "b'a+b+c'", "[b's0', b's1', b's2']", "[b'1', b'2']",
                        "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED", "True True",
                    ])
                // The deadline and the cancellation reach the server.
                _ = try await eventually("both cancellations") {
                    server.events.split(separator: "\n").count { $0 == "cancelled" } == 2 ? true : nil
                }
                #expect(try scenario.gateway.metric("gatehouse_upstream_connects_total") == 1)
            })
    }
}
