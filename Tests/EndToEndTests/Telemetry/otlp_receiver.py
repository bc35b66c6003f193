"""An OTLP/HTTP receiver that decodes JSON with OpenTelemetry's own messages.

    otlp_receiver.py FOLDER

Listens on a free port of 127.0.0.1 and writes the port to FOLDER/port. Each POST of a message is decoded strictly: an
unknown field, an unknown enumeration or a value of another type is 400, and the error is in FOLDER/errors. For each
message that is decoded it appends a line of JSON to FOLDER/received.jsonl: `path`, `content_type`, and `message`, the
decoded message, with hexadecimal ids.

OTLP differs from ProtoJSON in one respect: trace ids and span ids are hexadecimal, not base64.
"""

import base64
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from google.protobuf.json_format import MessageToDict, ParseDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

MESSAGES = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}
ID_LENGTHS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_binary_ids(value):
    """Converts the ids of OTLP to the base64 of ProtoJSON."""
    if isinstance(value, list):
        return [with_binary_ids(element) for element in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for name, member in value.items():
        if name in ID_LENGTHS:
            id = bytes.fromhex(member)
            if len(id) != ID_LENGTHS[name] or not any(id):
                raise ValueError(f"{name} is {member}")
            member = base64.b64encode(id).decode()
        result[name] = with_binary_ids(member)
    return result


def with_readable_ids(value):
    """Converts the ids back to hexadecimal, for the tests."""
    if isinstance(value, list):
        return [with_readable_ids(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64decode(member).hex() if name in ID_LENGTHS else with_readable_ids(member)
        for name, member in value.items()
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder = ""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            message = ParseDict(with_binary_ids(json.loads(body)), MESSAGES[self.path](), ignore_unknown_fields=False)
        except Exception as error:
            with open(os.path.join(self.folder, "errors"), "a") as file:
                file.write(f"{self.path}: {error!r}\n")
            return self.answer(400, {"message": str(error)})
        line = {
            "path": self.path,
            "content_type": self.headers["Content-Type"],
            "message": with_readable_ids(MessageToDict(message)),
        }
        with open(os.path.join(self.folder, "received.jsonl"), "a") as file:
            file.write(json.dumps(line) + "\n")
        self.answer(200, {})

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def main():
    Handler.folder = sys.argv[1]
    server = HTTPServer(("127.0.0.1", 0), Handler)
    port = os.path.join(Handler.folder, "port")
    with open(port + ".new", "w") as file:
        file.write(str(server.server_port))
    os.rename(port + ".new", port)
    server.serve_forever()


main()
