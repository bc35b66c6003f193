extension DemoConfiguration {
    /// `config/demo.yaml`, for where no checkout is at hand. A test compares the two.
    static let embedded = #"""
        # yaml-language-server: $schema=./schema.json
        #
        # What `gatehouse demo` runs: a gateway in front of an echo service, with a local identity provider in Firebase's place.
        # The demo sets the variables; their defaults are the ports that it takes when they are free, so that the other commands find it:
        #
        #     gatehouse explain --config config/demo.yaml GET /v1/hello --token "$(gatehouse token mint --user ada)"
        #     gatehouse revoke grace --config config/demo.yaml
        #
        # For loopback only: the admin token is no secret, and the identity provider signs in anybody as anybody.

        listen:
          - address: ${GATEHOUSE_DEMO_LISTEN:-127.0.0.1:8080}

        # There is nothing to wait for when the demo ends.
        drain:
          delay: 0s
          timeout: 1s

        admin:
          address: ${GATEHOUSE_DEMO_ADMIN:-127.0.0.1:9901}
          token: ${GATEHOUSE_DEMO_ADMIN_TOKEN:-demo-admin-token}

        identity:
          firebase:
            project: demo-gatehouse
            keys_url: ${GATEHOUSE_DEMO_KEYS_URL:-http://127.0.0.1:9902/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com}
            session_keys_url: ${GATEHOUSE_DEMO_SESSION_KEYS_URL:-http://127.0.0.1:9902/identitytoolkit/v3/relyingparty/publicKeys}
          # Tokens of providers themselves, without Firebase: the same local provider plays them.
          providers:
            apple.com:
              audiences: [com.example.gatehouse]
              keys_url: ${GATEHOUSE_DEMO_PROVIDER_URL:-http://127.0.0.1:9902}/apple/auth/keys
            google.com:
              audiences: [123456789012-gatehouse.apps.googleusercontent.com]
              keys_url: ${GATEHOUSE_DEMO_PROVIDER_URL:-http://127.0.0.1:9902}/google/oauth2/v3/certs
            github.com:
              client_id: Iv1.gatehouse
              client_secret: github-secret
              token_check_url: "${GATEHOUSE_DEMO_PROVIDER_URL:-http://127.0.0.1:9902}/applications/{client_id}/token"

        # Sign in, reauthenticate, link and sign out under /.gatehouse/; in the demo there is a page to try it.
        accounts: {}

        store: "sqlite::memory:"

        upstreams:
          echo:
            servers:
              - ${GATEHOUSE_DEMO_UPSTREAM:-http://127.0.0.1:9903}

        routes:
          # Anybody; credentials are not looked at.
          - path: /public/**
            auth: none
            upstream: echo

          # Anybody, but whoever has a token is told apart.
          - path: /v1/feed
            auth: optional
            upstream: echo

          # Whoever has a valid token.
          - path: /v1/hello/**
            upstream: echo

          # WebSockets at .../ws, events at .../events; browsers can send their tokens there. Open until the token ends.
          - path: /v1/live/**
            upgrade: [websocket]
            token_protocol: true
            token_query: access_token
            upstream: echo

          # Only a token of GitHub's, with a scope.
          - path: /v1/repositories
            providers: [github.com]
            scopes: [repo]
            upstream: echo

          # Only the user whom the path names.
          - path: /v1/users/{uid}/{rest=**}
            allow: auth.uid == uid
            upstream: echo

          # Only who signed in within the last five minutes, and revocation asked on each request.
          - path: /v1/account
            methods: [DELETE]
            recent_sign_in: { max_age: 5m, proof: authenticated }
            revocation: strict
            upstream: echo

          # The other methods of the same path.
          - path: /v1/account
            upstream: echo

        log:
          level: warning
          access: ${GATEHOUSE_DEMO_ACCESS_LOG:-stdout}

        """#
}
