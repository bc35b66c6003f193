"""A gRPC server with the health service, without generated code.

    grpc_server.py FOLDER [CERTIFICATE KEY]

Listens on a free port of 127.0.0.1, with TLS if there is a certificate, and writes the port to FOLDER/port. The service
`test.Echo` has one method of each kind. Messages are bytes. Each method sends the metadata of the call back, `x-auth-uid`
as `seen-uid` in the initial metadata and `x-count` in the trailing metadata. FOLDER/events has a line for each cancelled
call. `fail` as the first message ends the call with RESOURCE_EXHAUSTED. The service `test.Echo` is SERVING, `test.Down`
is NOT_SERVING.
"""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import grpc

FOLDER = sys.argv[1]
SERVING = {b"\x0a\x09test.Echo": b"\x08\x01", b"": b"\x08\x01", b"\x0a\x09test.Down": b"\x08\x02"}


def record(event):
    with open(os.path.join(FOLDER, "events"), "a") as file:
        file.write(event + "\n")


def begin(context):
    metadata = dict(context.invocation_metadata())
    context.add_callback(lambda: None if context.is_active() else record("ended"))
    context.send_initial_metadata((("seen-uid", metadata.get("x-auth-uid", "-")),))
    remaining = context.time_remaining()
    context.set_trailing_metadata((("x-remaining", "-" if remaining is None else f"{remaining:.3f}"), ("x-bin-bin", b"\x00\xff")))


def finish(context, message):
    if message == b"fail":
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too much, ü")
    if message == b"sleep":
        done = threading.Event()
        context.add_callback(done.set)
        done.wait(60)
        record("cancelled")


def unary(request, context):
    begin(context)
    finish(context, request)
    return request


def client_stream(requests, context):
    begin(context)
    return b"+".join(requests)


def server_stream(request, context):
    begin(context)
    for number in range(3):
        yield request + str(number).encode()
    finish(context, request)


def both(requests, context):
    begin(context)
    for request in requests:
        yield request
        finish(context, request)


def check(request, context):
    status = SERVING.get(request)
    if status is None:
        context.abort(grpc.StatusCode.NOT_FOUND, "unknown service")
    return status


def main():
    server = grpc.server(ThreadPoolExecutor(16))
    handlers = {
        "Unary": grpc.unary_unary_rpc_method_handler(unary),
        "ClientStream": grpc.stream_unary_rpc_method_handler(client_stream),
        "ServerStream": grpc.unary_stream_rpc_method_handler(server_stream),
        "Both": grpc.stream_stream_rpc_method_handler(both),
    }
    server.add_generic_rpc_handlers((
        grpc.method_handlers_generic_handler("test.Echo", handlers),
        grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": grpc.unary_unary_rpc_method_handler(check)}),
    ))
    if len(sys.argv) > 2:
        certificate, key = (open(file, "rb").read() for file in sys.argv[2:4])
        port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(key, certificate)]))
    else:
        port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with open(os.path.join(FOLDER, "port.new"), "w") as file:
        file.write(str(port))
    os.rename(os.path.join(FOLDER, "port.new"), os.path.join(FOLDER, "port"))
    server.wait_for_termination()


main()
