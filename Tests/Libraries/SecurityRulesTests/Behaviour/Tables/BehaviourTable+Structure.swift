extension BehaviourTable {
    static let structure = BehaviourTable(
        #"""
        match a literal path
            true: match /a/b { allow read; } @ GET /a/b
            none: match /a/b { allow read; } @ GET /a/c
            none: match /a/b { allow read; } @ GET /a
            none: match /a/b { allow read; } @ GET /a/b/c
            none: match /a { allow read; } @ GET /A
            fails: match /a/b { allow read: if auth.token.nobody == 1; } @ GET /a/b
            refused: match a/b { allow read; } @ GET /a/b
        match {name}
            true: match /users/{uid} { allow read: if uid == 'ada'; } @ GET /users/ada
            true: match /users/{uid} { allow read: if uid == 'a b'; } @ GET /users/a%20b
            false: match /users/{uid} { allow read: if uid == 'ada'; } @ GET /users/bob
            none: match /users/{uid} { allow read; } @ GET /users
            none: match /users/{uid} { allow read; } @ GET /users/ada/docs
            fails: match /users/{uid} { allow read: if uid[5] == 'a'; } @ GET /users/ada
            refused: match /{a}/{a} { allow read; } @ GET /a/b
        match {name=**}
            true: match /a/{rest=**} { allow read; } @ GET /a/b/c
            true: match /a/{rest=**} { allow read; } @ GET /a/b
            true: match /a/{rest=**} { allow read; } @ GET /a
            true: match /{rest=**} { allow read; } @ GET /
            true: match /a/{rest=**}/z { allow read: if rest == /b/c; } @ GET /a/b/c/z
            true: match /a/{rest=**} { allow read: if rest == /b/c; } @ GET /a/b/c
            false: match /a/{rest=**} { allow read: if rest == /c; } @ GET /a/b
            none: match /a/{rest=**}/z { allow read; } @ GET /a/b/c
            fails: match /a/{rest=**} { allow read: if rest[2] == 'c'; } @ GET /a/b
            refused: match /{a=**}/{b=**} { allow read; } @ GET /a/b
        nested match
            true: match /a { match /{b} { allow read: if b == 'b'; } } @ GET /a/b
            true: match /{a} { match /{b} { allow read: if a == 'x' && b == 'y'; } } @ GET /x/y
            none: match /a { allow read; match /b { allow write; } } @ GET /a/b
            false: match /{a} { match /{b} { allow read: if a == b; } } @ GET /x/y
            fails: match /{a} { match /{b} { allow read: if int(a) == 1; } } @ GET /x/y
            refused: match /a { match /b { } @ GET /a/b
        allow methods
            true: match /a { allow read: if true; } @ GET /a
            true: match /a { allow read; } @ HEAD /a
            true: match /a { allow get; } @ GET /a
            true: match /a { allow list; } @ GET /a/
            true: match /a { allow create; } @ POST /a
            true: match /a { allow update; } @ PUT /a
            true: match /a { allow update; } @ PATCH /a
            true: match /a { allow delete; } @ DELETE /a
            true: match /a { allow write; } @ POST /a
            true: match /a { allow write; } @ DELETE /a
            true: match /a { allow get, create, delete; } @ POST /a
            none: match /a { allow get; } @ GET /a/
            none: match /a { allow list; } @ GET /a
            none: match /a { allow read; } @ POST /a
            none: match /a { allow write; } @ GET /a
            none: match /a { allow create; } @ PUT /a
            none: match /a { allow read, write; } @ OPTIONS /a
            false: match /a { allow read: if false; } @ GET /a
            fails: match /a { allow read: if auth.token.nobody; } @ GET /a
            refused: match /a { allow post; } @ POST /a
            refused: match /a { allow read if true; } @ GET /a
            refused: match /a { allow read: true; } @ GET /a
        several allows
            true: match /a { allow read: if false; allow read: if true; } @ GET /a
            true: match /a { allow read: if auth.token.nobody; allow read; } @ GET /a
            true: match /a { allow read: if false; } match /{x} { allow read; } @ GET /a
            true: match /{x=**} { allow get; } match /a { allow read: if false; } @ GET /a
            false: match /a { allow read: if false; allow get: if 1 == 2; } @ GET /a
            none: match /a { allow write; } match /b { allow read; } @ GET /a
            fails: match /a { allow read: if false; allow read: if auth.token.nobody; } @ GET /a
        function
            true: function f() { return true; } match /a { allow read: if f(); } @ GET /a
            true: function f(x) { return x == 'ada'; } match /{u} { allow read: if f(u); } @ GET /ada
            true: match /{u} { function f() { return u == 'ada'; } allow read: if f(); } @ GET /ada
            true: function f(a, b) { return a && b; } match /a { allow read: if f(true, true); } @ GET /a
            true: function f() { return g(); } function g() { return true; } match /a { allow read: if f(); } @ GET /a
            false: function f(x) { return x; } match /a { allow read: if f(false); } @ GET /a
            fails: function f(x) { return true; } match /a { allow read: if f(auth.token.nobody); } @ GET /a
            fails: function f(x) { return x.y; } match /a { allow read: if f(auth); } @ GET /a
            refused: match /a { allow read: if f(); } @ GET /a
            refused: function f(x) { return true; } match /a { allow read: if f(); } @ GET /a
            refused: function f() { return f(); } match /a { allow read: if f(); } @ GET /a
            refused: function f() { return g(); } function g() { return f(); } match /a { allow read: if f(); } @ GET /a
            refused: function f() { } match /a { allow read: if f(); } @ GET /a
            refused: function f(a, b, c, d, e, f, g, h) { return true; } match /a { allow read: if f(1, 2, 3, 4, 5, 6, 7, 8); } @ GET /a
        let
            true: function f() { let a = 1; let b = a + 1; return b == 2; } match /a { allow read: if f(); } @ GET /a
            true: function f(x) { let y = x.uid; return y == 'ada'; } match /a { allow read: if f(auth); } @ GET /a
            false: function f() { let a = 1; return a == 2; } match /a { allow read: if f(); } @ GET /a
            fails: function f() { let a = auth.token.nobody; return true; } match /a { allow read: if f(); } @ GET /a
            refused: match /a { let a = 1; allow read: if a == 1; } @ GET /a
            refused: function f() { let a = 1; let a = 2; return true; } match /a { allow read: if f(); } @ GET /a
            refused: function f(a) { let a = 1; return true; } match /a { allow read: if f(1); } @ GET /a
            refused: function f() { let a = b; let b = 1; return true; } match /a { allow read: if f(); } @ GET /a
            refused: function f() { let a=1; let b=1; let c=1; let d=1; let e=1; let g=1; let h=1; let i=1; let j=1; let k=1; let l=1; return true; } match /a { allow read: if f(); } @ GET /a
        scopes
            true: match /{a} { function f(b) { return a == b; } match /{c} { allow read: if f(c); } } @ GET /x/x
            false: match /{a} { function f(b) { return a == b; } match /{c} { allow read: if f(c); } } @ GET /x/y
            fails: match /{a} { function f(b) { return a == b.c; } match /{c} { allow read: if f(c); } } @ GET /x/y
            refused: function f() { return a == 'x'; } match /{a} { allow read: if f(); } @ GET /x
            refused: match /a { function f() { return true; } } match /b { allow read: if f(); } @ GET /b
            refused: match /{a} { function f(a) { return true; } allow read: if f(1); } @ GET /x
        file
            true: rules_version = '2'; service gatehouse.http { match /a { allow read; } } @ GET /a
            none: rules_version = '2'; service gatehouse.http { } @ GET /a
            refused: service gatehouse.http { match /a { allow read; } } @ GET /a
            refused: rules_version = '1'; service gatehouse.http { match /a { allow read; } } @ GET /a
            refused: rules_version = '2'; service cloud.firestore { match /a { allow read; } } @ GET /a -- service gatehouse.http
            refused: rules_version = '2'; service firebase.storage { match /a { allow read; } } @ GET /a -- service gatehouse.http
            refused: rules_version = '2'; service gatehouse.http { } service gatehouse.http { } @ GET /a
            refused: rules_version = '2'; @ GET /a
        """#)
}
