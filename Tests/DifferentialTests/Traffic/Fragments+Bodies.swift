extension Fragments {
    /// How a body of the five bytes `hello`, chunked or not, is announced when two readers may differ about it.
    static let oddFraming: [[UInt8]] = [
        "Content-Length:5\r\n", "Content-Length: 5 \r\n", "Content-Length:\t5\r\n", "content-length: 05\r\n",
        "Content-Length: +5\r\n", "Content-Length: -5\r\n", "Content-Length: 5, 5\r\n", "Content-Length: 5,\r\n",
        "Content-Length: 0x5\r\n", "Content-Length: 5 5\r\n", "Content-Length: 5.0\r\n", "Content-Length:\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 00000000000000000005\r\n", "Content-Length: 18446744073709551621\r\n",
        "Content-Length: 9223372036854775808\r\n", "Content-Length : 5\r\n", "Content-Length: 5\u{b}\r\n",
        "Content-Length: \u{665}\r\n", "Content-Length: 5;\r\n", "X: y\r\n Content-Length: 5\r\n",
        "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: Chunked\r\n", "transfer-encoding:chunked\r\n", "Transfer-Encoding: chunked \r\n",
        "Transfer-Encoding:\tchunked\r\n", "Transfer-Encoding: chunked\t\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, gzip\r\n", "Transfer-Encoding: identity\r\n", "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked;q=1\r\n", "Transfer-Encoding: \"chunked\"\r\n",
        "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: ,chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding:\r\n chunked\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "Transfer-Encoding:\r\n",
        "Transfer-Encoding: \u{b}chunked\r\n", "Transfer-Encoding: chunked\u{0}\r\n", "Transfer_Encoding: chunked\r\n",
        "Transfer-Encoding: chunked,\r\n", "Transfer-Encoding: cow\r\n", "X: y\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: identity, chunked\r\n", "Transfer-Encoding: chunke\r\nd: x\r\n",
    ].map { Array($0.utf8) }

    static let chunkEnd = Fragments(
        ["\r\n", "\r\n", "\r\n", ";a=b\r\n", ";a\r\n", ";a=\"b c\"\r\n", ";a;b=c\r\n"],
        odd: [
            ";\r\n", "; a\r\n", ";a =b\r\n", ";a= b\r\n", " ;a\r\n", ";a=\"b\r\n", ";a=\"\\\"\"\r\n", ";=b\r\n",
            ";a=\r\n", ";a=b=c\r\n", ";a\n", "\n", "\r", "\r\r\n", " \r\n", "\t\r\n", ";\u{e9}\r\n",
            ";a=\"\u{e9}\"\r\n", ";a\u{0}\r\n", ";a=\"\t\"\r\n", ";a b\r\n", ";a;;b\r\n", ",a\r\n", ";a=b \r\n",
            ";a=\"b\"c\r\n", ";a=\"b\";c\r\n", ";a\rb\r\n", ";a=\"\u{7f}\"\r\n", ";\"a\"\r\n", ";a\t=\tb\t;c\r\n",
            ";a=\"\\\u{1}\"\r\n", ";a\r\r\n", ";a=b;\r\n", ";a=\"\"\r\n", ";a=\"\\", ";a=/\r\n",
            ";a=\"b\r\n0\r\n\r\n\"\r\n",
        ])

    static let chunkSize = Fragments(
        ["5", "5", "05", "000000000005"],
        odd: [
            "0x5", "+5", "-5", " 5", "", "5g", "00000000000000005", "10000000000000005", "ffffffffffffffff", "6", "4",
            "a", "FFFFFFFFFFFFFFFF5", "8000000000000000", "\u{665}", "5.",
        ])

    static let chunkTail = Fragments(["\r\n"], odd: ["\n", "\r", "", "\r\n\r\n", "x\r\n", " \r\n", "\r\r\n"])

    static let trailer = Fragments(
        ["X-T: a\r\n", "x-u:b\r\n", "X-Empty:\r\n"],
        odd: [
            "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Host: b\r\n", "X-T : a\r\n", " X-T: a\r\n",
            "X-T: a\r\n b\r\n", "X-T: a\nX-U: b\r\n", "no colon\r\n", ": a\r\n", "X-T: \u{0}\r\n", "X-T: a \r\n",
            "Connection: close\r\n", "X-T: a\r\r\n", "Upgrade: x\r\nConnection: upgrade\r\n", "\n", "\r",
            "Content-Length: x\r\n", "Transfer-Encoding: gzip\r\n", "Connection: keep-alive\r\n",
            "Authorization: x\r\n",
        ])

    static let statusLine = Fragments(
        [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 \r\n", "HTTP/1.1 404 Not Found\r\n", "HTTP/1.0 200 OK\r\n",
            "HTTP/1.1 204 No Content\r\n", "HTTP/1.1 304 Not Modified\r\n", "HTTP/1.1 100 Continue\r\n",
            "HTTP/1.1 503 \u{e9}\tx\r\n", "HTTP/1.1 103 Early Hints\r\n",
        ],
        odd: [
            "HTTP/1.1 200\r\n", "HTTP/1.1 101 Switching\r\n", "HTTP/1.1 199 x\r\n", "HTTP/1.1 099 x\r\n",
            "HTTP/1.1 999 x\r\n", "HTTP/1.1 20 x\r\n", "HTTP/1.1 2000 x\r\n", "HTTP/1.1  200 x\r\n",
            "HTTP/1.1\t200 x\r\n", "HTTP/2.0 200 x\r\n", "HTTP/1.2 200 x\r\n", "http/1.1 200 x\r\n", "HTTP/1.1 200 x\n",
            "HTTP/1.1 200 \u{0}\r\n", "HTTP/1.1 2x0 x\r\n", "HTTP/1.1 200 a\rb\r\n", "HTTP/1.1 200  x\r\n",
            "HTTP/1.1 200x\r\n", "HTTP/1.1\r\n", "HTTP/1.1 \r\n", "ICY 200 OK\r\n", "HTTP/0.9 200 x\r\n",
            "HTTP/1.1 102 x\r\n", "HTTP/1.1 205 x\r\n", "HTTP/1.1 200 a\u{7f}\r\n", "RTSP/1.0 200 OK\r\n",
            "\r\nHTTP/1.1 200 x\r\n", "HTTP/1.0 100 x\r\n", "HTTP/1.1 407 x\r\n",
            "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\n", "HTTP/1.1 200\n", "HTTP/1.1 000 x\r\n",
        ])
}
