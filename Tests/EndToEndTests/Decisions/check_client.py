"""Calls envoy.service.auth.v3.Authorization/Check with grpcio and Google's implementation of Protocol Buffers.

usage: check_client.py PORT CASES

CASES is a JSON list of objects. Prints one JSON object for each. The messages are defined here by their field numbers,
with more fields than Gatehouse reads, and one that Envoy does not have.
"""

import json
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, struct_pb2, timestamp_pb2

PACKAGE = "envoy.service.auth.v3"
TYPES = {"string": 9, "bytes": 12, "int32": 5, "int64": 3, "uint32": 13, "bool": 8, "double": 1}

# The type of a field is one of TYPES, the name of a message, or a list of either for repeated fields.
MESSAGES = {
    "SocketAddress": {"protocol": (1, "int32"), "address": (2, "string"), "port_value": (3, "uint32")},
    "Pipe": {"path": (1, "string"), "mode": (2, "uint32")},
    "Address": {"socket_address": (1, "SocketAddress"), "pipe": (2, "Pipe")},
    "Peer": {"address": (1, "Address"), "service": (2, "string"), "principal": (4, "string"),
             "certificate": (5, "string")},
    "Entry": {"key": (1, "string"), "value": (2, "string")},
    "HeaderValue": {"key": (1, "string"), "value": (2, "string"), "raw_value": (3, "bytes")},
    "HeaderMap": {"headers": (1, ["HeaderValue"])},
    "HttpRequest": {
        "id": (1, "string"), "method": (2, "string"), "headers": (3, ["Entry"]), "path": (4, "string"),
        "host": (5, "string"), "scheme": (6, "string"), "query": (7, "string"), "fragment": (8, "string"),
        "size": (9, "int64"), "protocol": (10, "string"), "body": (11, "string"), "raw_body": (12, "bytes"),
        "header_map": (13, "HeaderMap"), "future": (500, "double")},
    "Request": {"time": (1, ".google.protobuf.Timestamp"), "http": (2, "HttpRequest")},
    "TLSSession": {"sni": (1, "string")},
    "AttributeContext": {
        "source": (1, "Peer"), "destination": (2, "Peer"), "request": (4, "Request"),
        "context_extensions": (10, ["Entry"]), "tls_session": (12, "TLSSession"), "future": (2047, "Entry")},
    "CheckRequest": {"attributes": (1, "AttributeContext"), "future": (536870911, "bytes")},
    "BoolValue": {"value": (1, "bool")},
    "HeaderValueOption": {"header": (1, "HeaderValue"), "append": (2, "BoolValue"), "append_action": (3, "int32")},
    "Status": {"code": (1, "int32"), "message": (2, "string")},
    "HttpStatus": {"code": (1, "int32")},
    "DeniedHttpResponse": {"status": (1, "HttpStatus"), "headers": (2, ["HeaderValueOption"]), "body": (3, "string")},
    "OkHttpResponse": {"headers": (2, ["HeaderValueOption"]), "headers_to_remove": (5, ["string"])},
    "CheckResponse": {
        "status": (1, "Status"), "denied_response": (2, "DeniedHttpResponse"), "ok_response": (3, "OkHttpResponse"),
        "dynamic_metadata": (4, ".google.protobuf.Struct")},
}


def messages():
    file = descriptor_pb2.FileDescriptorProto(name="check.proto", package=PACKAGE, syntax="proto3")
    file.dependency.extend([struct_pb2.DESCRIPTOR.name, timestamp_pb2.DESCRIPTOR.name])
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            repeated = isinstance(kind, list)
            kind = kind[0] if repeated else kind
            entry = message.field.add(name=field, number=number, label=3 if repeated else 1)
            if kind in TYPES:
                entry.type = TYPES[kind]
            else:
                entry.type = 11
                entry.type_name = kind if kind.startswith(".") else f".{PACKAGE}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    for known in (struct_pb2, timestamp_pb2):
        pool.AddSerializedFile(known.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    get = lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
    return get("CheckRequest"), get("CheckResponse")


CheckRequest, CheckResponse = messages()


def encoded(case):
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    request = CheckRequest()
    attributes = request.attributes
    if case.get("address"):
        attributes.source.address.socket_address.address = case["address"]
        attributes.source.address.socket_address.port_value = 4711
    if case.get("pipe"):
        attributes.source.address.pipe.path = case["pipe"]
    attributes.destination.address.socket_address.address = "192.0.2.200"
    attributes.request.time.seconds = 1
    http = attributes.request.http
    for name in ("method", "path", "host"):
        if case.get(name):
            setattr(http, name, case[name])
    http.id, http.scheme, http.protocol, http.size = "1", "http", "HTTP/1.1", -1
    for key, value in case["headers"]:
        if case.get("separate"):
            http.header_map.headers.add(key=key, raw_value=value.encode())
        else:
            http.headers.add(key=key, value=value)
    http.body = "x" * case.get("body", 0)
    http.future = 1.5
    attributes.future.key = "later"
    attributes.context_extensions.add(key="policy", value="any")
    request.future = b"\x00\xff"
    return request.SerializeToString()


def shown(response):
    result = {"empty": response == b""}
    response = CheckResponse.FromString(response)
    result["code"] = response.status.code if response.HasField("status") else None
    if response.HasField("ok_response"):
        result["set"] = {option.header.key: option.header.value for option in response.ok_response.headers}
        result["removed"] = list(response.ok_response.headers_to_remove)
        result["appends"] = any(option.append.value for option in response.ok_response.headers)
    if response.HasField("denied_response"):
        denied = response.denied_response
        result["denied"] = denied.status.code
        result["set"] = {option.header.key: option.header.value for option in denied.headers}
        result["body"] = denied.body
    result["metadata"] = json_format.MessageToDict(response.dynamic_metadata)
    return result


def main():
    port, path = sys.argv[1:]
    options = [("grpc.max_send_message_length", -1)]
    channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=options)
    method = channel.unary_unary(f"/{PACKAGE}.Authorization/Check")
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)
    for case in cases:
        try:
            # A later call on the same connection succeeds whatever an earlier one sent.
            print(json.dumps(shown(method(encoded(case), timeout=60))))
        except grpc.RpcError as error:
            print(json.dumps({"rpc": error.code().name, "details": error.details()}))


if __name__ == "__main__":
    main()
