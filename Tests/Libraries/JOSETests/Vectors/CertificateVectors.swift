/// Self-signed certificates, created with another implementation.
enum CertificateVectors {
    /// The key of `RSAVectors`, valid from 2024 to 2034.
    static let valid = """
        -----BEGIN CERTIFICATE-----
        MIICpzCCAY+gAwIBAgIBBzANBgkqhkiG9w0BAQsFADAXMRUwEwYDVQQDDAx0b2tl
        biBzaWduZXIwHhcNMjQwMTAxMDAwMDAwWhcNMzQwMTAxMDAwMDAwWjAXMRUwEwYD
        VQQDDAx0b2tlbiBzaWduZXIwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIB
        AQDMCGKuk9i7Srayl9IpG5pfuYdoiLM735xWFCuazhjatZE3MdzyyzvUumTbxFzG
        IgCzfU++krVw2U7jfLUUrV7EHCKfY2kLGpY+ifozL69c9gmWH7STA3diN6F7LOws
        YTH7EmUi/y62qxgR1d/MXkngmOqrEKtgonitIP55NKQ/+8kA4NpD68vrIdJJRl5z
        uEXWtHxvcbgUnjecZ1A10sKr5WfPAG+fReZD1XnHYKSXUL/S0nd48W6bb5agLg55
        6rOdGfrUY9JDbVH52qMJtHGayz6902Q7gU/KiMseXc1fbIzQqjQ6mrZVQf9Begsl
        UusSSr5LzZ2IPKOkruneBjxDAgMBAAEwDQYJKoZIhvcNAQELBQADggEBACY+FhDn
        mjJhOEVVNgcizq459GYzLH2kMNPY7hT0D9r4Q7zvlnA3ISnJx9wIWsYtWUWPfDqp
        p6EL2R2NmtTn2gtnwmOERbN9WcEOCbynpXzs+k/vIZRlgIYwJVnD7TJ240Cglnlo
        DQF0g90Bo7ko1Y3eEVnJirTI20YZxseBlTYNVXmbjM49WIMmEL+t6BlOzTkqkTJj
        Q21+lK3z5PxSdPuMxTfWGbm+eyFWAqGVGKPh62a1UqNTa+VfIKZVSfXgesvtDHRm
        s3uuD0Le0JBPGKUxFZqYLQZvrXngaaLrVaEMDeNKrS/ThGgEkZD5KDmLYCZYR8bw
        34UPfQyBl/bHG0Y=
        -----END CERTIFICATE-----
        """
    /// The first lines of `valid`.
    static let truncated = (valid.split(separator: "\n").prefix(5) + ["-----END CERTIFICATE-----"])
        .joined(separator: "\n")
    /// The same key, valid in 2020.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIICpzCCAY+gAwIBAgIBBzANBgkqhkiG9w0BAQsFADAXMRUwEwYDVQQDDAx0b2tl
        biBzaWduZXIwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAXMRUwEwYD
        VQQDDAx0b2tlbiBzaWduZXIwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIB
        AQDMCGKuk9i7Srayl9IpG5pfuYdoiLM735xWFCuazhjatZE3MdzyyzvUumTbxFzG
        IgCzfU++krVw2U7jfLUUrV7EHCKfY2kLGpY+ifozL69c9gmWH7STA3diN6F7LOws
        YTH7EmUi/y62qxgR1d/MXkngmOqrEKtgonitIP55NKQ/+8kA4NpD68vrIdJJRl5z
        uEXWtHxvcbgUnjecZ1A10sKr5WfPAG+fReZD1XnHYKSXUL/S0nd48W6bb5agLg55
        6rOdGfrUY9JDbVH52qMJtHGayz6902Q7gU/KiMseXc1fbIzQqjQ6mrZVQf9Begsl
        UusSSr5LzZ2IPKOkruneBjxDAgMBAAEwDQYJKoZIhvcNAQELBQADggEBACxZ2RvO
        x6J0zLVxT7rFT0eRAFlqj5jOV/rEgIIvLEEBekqCxGvJEq2r6IXmpgENHjJfqDpq
        SABX5MuOVsllf5mGVbB2YWBF0AP56AIMlDQMVi1vdQ2DfXuW/UjYpp6CkS3gNNWQ
        pTYLaWAOyc7AXeQrcJckawbQFODvKebyIDuEd8s2NIuBx17G+hyECSXN8j7YDjxp
        yXgzvtfQW93R5U3OwXdwIP9AseiEbuFIxGbFKkgPBNeeNqzrxIKV3BufjVeXSYLU
        U2AP/5OUTjUVV/POh1TfVmtvmJU6GRxm5WeACU+Xy+GusNrRLp8Ob8+Pzq6PGhbW
        jy84vobIr3vynBc=
        -----END CERTIFICATE-----
        """
    /// The same key, valid from 2060 on, with a date of type GeneralizedTime.
    static let notYetValid = """
        -----BEGIN CERTIFICATE-----
        MIICqzCCAZOgAwIBAgIBBzANBgkqhkiG9w0BAQsFADAXMRUwEwYDVQQDDAx0b2tl
        biBzaWduZXIwIhgPMjA2MDAxMDEwMDAwMDBaGA8yMDYxMDEwMTAwMDAwMFowFzEV
        MBMGA1UEAwwMdG9rZW4gc2lnbmVyMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIB
        CgKCAQEAzAhirpPYu0q2spfSKRuaX7mHaIizO9+cVhQrms4Y2rWRNzHc8ss71Lpk
        28RcxiIAs31PvpK1cNlO43y1FK1exBwin2NpCxqWPon6My+vXPYJlh+0kwN3Yjeh
        eyzsLGEx+xJlIv8utqsYEdXfzF5J4JjqqxCrYKJ4rSD+eTSkP/vJAODaQ+vL6yHS
        SUZec7hF1rR8b3G4FJ43nGdQNdLCq+VnzwBvn0XmQ9V5x2Ckl1C/0tJ3ePFum2+W
        oC4OeeqznRn61GPSQ21R+dqjCbRxmss+vdNkO4FPyojLHl3NX2yM0Ko0Opq2VUH/
        QXoLJVLrEkq+S82diDyjpK7p3gY8QwIDAQABMA0GCSqGSIb3DQEBCwUAA4IBAQAa
        prQEhZpw9si79g8TD62SS9N2b6az1z7aY8bvqj3gb+aBYJMuo0yNVokpZaztmW5o
        9U59lRKcNlkfXK8v2TZMaR42RgAoJy8S2VrLOjbZPnKw/XzhakBvQRJFMjltgq5E
        qa10ZEJs/Z6yfEBlhoUjEVgDBuikHyXxJvx5/CxzPXNqUrbgQCN03gEjf60tcW28
        0trE0Kmnk3qFd985aXCyilmE3Y6T2XFeCiNhm1xKhRuShE8cgPLk1TzfHdIiSL0z
        FgUaZa1QGRcEuC0aEAI3gxHVXtl8suYOKaGzVK1c2s9pNOhQGkBFcoyPquKV9Kns
        rZBEVVmvTNKG2e8LQBON
        -----END CERTIFICATE-----
        """
    /// A key on P-256, valid from 2024 to 2034.
    static let ec = """
        -----BEGIN CERTIFICATE-----
        MIIBGTCBwaADAgECAgEHMAoGCCqGSM49BAMCMBcxFTATBgNVBAMMDHRva2VuIHNp
        Z25lcjAeFw0yNDAxMDEwMDAwMDBaFw0zNDAxMDEwMDAwMDBaMBcxFTATBgNVBAMM
        DHRva2VuIHNpZ25lcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABB9bV2JzPvlY
        hqMwA1VWWThxiYdN/qBNyVOElmwW+6+0DKnS3IQhj9m0aAV0eXYgggTUduQKpxN5
        DUuuzNE7adEwCgYIKoZIzj0EAwIDRwAwRAIgWqutKy1b+njHCrqqV4K/6xfglEKf
        FsDaZDPRgeWEcU4CIHb+HRFwqgG5EvKbf491kaUFhaXj1slkGzl727uILqp/
        -----END CERTIFICATE-----
        """
    /// An RSA key of 1024 bits, valid from 2024 to 2034.
    static let weak = """
        -----BEGIN CERTIFICATE-----
        MIIBojCCAQugAwIBAgIBBzANBgkqhkiG9w0BAQsFADAXMRUwEwYDVQQDDAx0b2tl
        biBzaWduZXIwHhcNMjQwMTAxMDAwMDAwWhcNMzQwMTAxMDAwMDAwWjAXMRUwEwYD
        VQQDDAx0b2tlbiBzaWduZXIwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJAoGBALLX
        nXr2YZFB7oTq15W9z2qWcC7ahRV86fEHF+Lfk+tLBcU96xJgo7izPjG8tmgEMFcP
        SsO/R6cWXA00kag5SYF3nZmRoF7W9t5Mz22Bb2Io7hXf5vOKoWARq40ahOiUtNcs
        WsCEoG4ex12zuamav0IcSUUir3DF4oyG9rtKJ1aJAgMBAAEwDQYJKoZIhvcNAQEL
        BQADgYEApTJKB5orctnfdQm8BvaV2EYqMUC+HMxdZ25CibI/felUD4J/Ys3up8PW
        UlbbceEwUk98s66Ih7f8upgVLV4dvIuupnV7Sk7ZWd5Fp+LUxWkIgfj3RB+Sgl5T
        +U/P1FyyfhNDq5EqkQGixDVhcD9c2rtr1YpDZBV5Kq0fkK831hQ=
        -----END CERTIFICATE-----
        """
}
