"""A resource server with Authlib, which validates the token of each request by introspection (RFC 7662).

usage: authlib_resource.py PORT CASES

CASES is a JSON list of objects with `client`, `secret` and `authorization`, the field of a request to the resource. It
finds the endpoint by the metadata (RFC 8414). Prints one JSON object for each case: the facts of the token, or the
error with the status that the resource server would send. An error of introspection itself has `introspection`.
"""

import json
import sys
import types

import httpx
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import ResourceProtector
from authlib.oauth2.rfc7662 import IntrospectTokenValidator
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata


class Introspection(IntrospectTokenValidator):
    def __init__(self, endpoint, client, secret):
        super().__init__(realm="resource")
        self.endpoint = endpoint
        self.client = OAuth2Client(client, secret, token_endpoint_auth_method="client_secret_basic")

    def introspect_token(self, token_string):
        response = self.client.introspect_token(self.endpoint, token=token_string, token_type_hint="access_token")
        response.raise_for_status()
        return response.json()


def result(endpoint, case):
    protector = ResourceProtector()
    protector.register_token_validator(Introspection(endpoint, case["client"], case["secret"]))
    request = types.SimpleNamespace(headers={"Authorization": case["authorization"]})
    try:
        return dict(protector.validate_request(case.get("scopes"), request))
    except OAuth2Error as error:
        return {"error": error.error, "status": error.status_code}
    except httpx.HTTPStatusError as error:
        return {"introspection": error.response.status_code, "error": error.response.json().get("error")}


def main():
    port, path = sys.argv[1:]
    document = httpx.get(f"http://127.0.0.1:{port}/.well-known/oauth-authorization-server").json()
    metadata = AuthorizationServerMetadata(document)
    metadata.validate_introspection_endpoint_auth_methods_supported()
    assert "client_secret_basic" in metadata.introspection_endpoint_auth_methods_supported
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)
    for case in cases:
        print(json.dumps(result(metadata.introspection_endpoint, case)))


if __name__ == "__main__":
    main()
