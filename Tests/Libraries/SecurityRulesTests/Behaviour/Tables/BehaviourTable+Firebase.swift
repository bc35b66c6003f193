extension BehaviourTable {
    static let firebase = BehaviourTable(
        #"""
        Storage: request.path
            true: match /b/{bucket}/o { match /dir/{file=**} { allow read: if request.path[3] == 'dir'; } } @ GET /b/B/o/dir/x.png
            true: match /b/{bucket}/o { match /{all=**} { allow read: if request.path == path('/b/B/o/dir/x.png'); } } @ GET /b/B/o/dir/x.png
            true: match /b/{bucket}/o { match /{all=**} { allow read: if bucket == 'B' && all[0] == 'dir'; } } @ GET /b/B/o/dir/x.png
            false: match /b/{bucket}/o { match /{all=**} { allow read: if request.path[3] == 'other'; } } @ GET /b/B/o/dir/x.png
            fails: match /b/{bucket}/o { match /{all=**} { allow read: if request.path[5] == 'dir'; } } @ GET /b/B/o/dir/x.png
        Storage: conditions
            true: (request.auth != null ? request.auth.uid : 'nobody') == 'ada'
            true: user == request.auth.uid && 'docs'.size() <= 4
            false: (request.auth == null ? true : false)
            fails: request.auth.token.missing.size() == 0
            refused: request.resource.size < 5 * 1024 * 1024 -- request.resource
            refused: resource.contentType.matches('image/.*') -- resource
            refused: firestore.get(/databases/d/documents/a/b).data.c == 1 -- firestore.get
        Firestore: request.auth
            true: request.auth != null; request.auth.uid != null; request.auth != null && request.auth.uid == user
            true: request.auth.token.string == 'Ada'
            false: request.auth.uid != user
            fails: request.auth.token.email_verified == true
        Firestore: claims
            true: request.auth.token.firebase.sign_in_provider == 'google.com'
            true: request.auth.token.firebase.sign_in_provider != 'anonymous'
            true: 'google.com' in request.auth.token.firebase.identities
            true: request.auth.token.firebase.identities['google.com'][0] == '113'
            true: request.auth.token.firebase.identities.keys().hasAny(['apple.com', 'google.com'])
            true: request.time.toMillis() / 1000 - request.auth.token.auth_time <= 300
            true: request.time < timestamp.value(request.auth.token.auth_time * 1000) + duration.value(10, 'm')
            true: request.time - timestamp.value(request.auth.token.auth_time * 1000) < duration.value(10, 'm')
            false: request.auth.token.firebase.sign_in_provider == 'password'
            false: 'apple.com' in request.auth.token.firebase.identities
            false: request.time.toMillis() / 1000 - request.auth.token.auth_time < 300
            fails: request.auth.token.firebase.tenant == 'acme'
            fails: request.auth.token.firebase.identities['apple.com'][0] == '113'
            fails: request.auth.token.auth_time > request.time
        Firestore: missing claims
            true: !('admin' in request.auth.token); request.auth.token.get('admin', false) == false
            false: request.auth.token.get('admin', false) == true
            fails: request.auth.token.admin == true; !request.auth.token.admin
            refused: request.auth.token.admin == null -- 'admin' in request.auth.token
        Firestore: the database
            no true: there is no database
            no false: there is no database
            refused: get(/databases/d/documents/users/u).data.admin == true -- get
            refused: exists(/databases/d/documents/users/u) -- exists
            refused: getAfter(/databases/d/documents/users/u).data.admin == true -- getAfter
            refused: existsAfter(/databases/d/documents/users/u) -- existsAfter
            refused: resource.data.owner == request.auth.uid -- resource
            refused: request.resource.data.keys().hasOnly(['a']) -- request.resource
            refused: request.writeFields.hasOnly(['a'])
        Firestore: request.method
            true: request.method == 'GET'
            false: request.method == 'DELETE'
            refused, false: request.method == 'get' -- GET
            refused, false: request.method == 'list' -- GET
            refused, false: request.method == 'create' -- POST
            refused, false: request.method == 'update' -- PUT
            refused, false: request.method == 'delete' -- DELETE
            refused, false: request.method in ['get', 'list'] -- GET
            fails: request.method[4] == 'x'
        Firestore: matches
            true: match /users/{uid} { allow read, write: if request.auth.uid == uid; } @ PUT /users/ada
            true: match /users/{uid}/{all=**} { allow read: if request.auth.uid == uid; } @ GET /users/ada
            false: match /users/{uid} { allow read: if request.auth.uid == uid; } @ GET /users/bob
            none: match /users/{uid} { allow read: if request.auth.uid == uid; } @ GET /users/ada/private/x
            refused: match /databases/{database}/documents { match /users/{uid} { allow read: if get(/databases/$(database)/documents/users/$(uid)).data.open; } } @ GET /a
            refused: rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { } } @ GET /a -- service gatehouse.http
        Realtime Database: ===
            true: auth.uid == 'ada'; auth.uid != 'eve'
            false: auth.uid == 'eve'
            refused: auth.uid === 'ada' -- ==
            refused: auth.uid !== 'eve' -- !=
        Realtime Database: null
            true: auth != null; auth != null && auth.uid == 'ada'
            false: auth == null
            refused, false: auth.uid == null -- auth == null
            refused: auth.token.admin == null -- 'admin' in auth.token
            fails: auth.token.admin != null
        Realtime Database: null, signed out
            true: auth == null
            false: auth != null && auth.uid != 'eve'
            fails: auth.uid != 'eve'; auth.token.email == 'a'
        Realtime Database: variables
            true: match /users/{uid} { allow read: if uid == auth.uid; } @ GET /users/ada
            false: match /users/{uid} { allow read: if uid == auth.uid; } @ GET /users/bob
            refused: match /users/$uid { allow read: if true; } @ GET /users/ada -- {uid}
            refused: match /users/{uid} { allow read: if $uid == auth.uid; } @ GET /users/ada -- uid
            refused: now > 1500000000000 -- request.time
            refused: auth.token.signedIn < now -- request.time
        Realtime Database: snapshots
            no true: there is no database
            no false: there is no database
            refused: root.child('admins').hasChild(auth.uid) -- root
            refused: data.exists() -- data
            refused: newData.hasChildren(['name', 'age']) -- newData
            refused: data.child('owner').val() == auth.uid -- data
            refused: $string.val() == 'a' -- val
            refused: $map.child('a') == 1 -- child
            refused: $map.hasChild('a') -- hasChild
            refused: $map.hasChildren(['a']) -- hasChildren
        Realtime Database: strings
            true: $string.matches('.*d.*'); $string.matches('Ad.*'); $string.size() == 3; $string.lower() == 'ada'
            false: $string.matches('.*x.*')
            fails: $int.matches('.*')
            refused: $string.contains('d') -- matches
            refused: $string.beginsWith('A') -- matches
            refused: $string.endsWith('a') -- matches
            refused: $string.length == 3 -- size()
            refused: $string.toLowerCase() == 'ada' -- lower()
            refused: $string.toUpperCase() == 'ADA' -- upper()
        Realtime Database: regular expressions
            true: $string.matches('(?i)ada'); 'a.b'.replace('[.]', ',') == 'a,b'
            false: $string.matches('d')
            fails: $string.matches($broken)
            refused: $string.matches(/^Ada$/) -- matches('
            refused: $string.matches(/ada/i) -- matches('
        Realtime Database: numbers
            true: $string + string($int) == 'Ada7'; math.isNaN(0.0 / 0.0)
            false: $int + 1 == 7
            fails: $string + $int == 'Ada7'; $int / 0 == 1
            refused: 'a' + 1 == 'a1' -- string(1)
            refused: 1 / 0 == 1
        Realtime Database: errors
            true: true || $missing > 1; $missing > 1 || true
            false: $missing > 1 && false
            fails: $missing > 1 || false
        Realtime Database: cascade
            true: match /a/{all=**} { allow read; } @ GET /a/b/c
            none: match /a { allow read; } @ GET /a/b
            false: match /a/{all=**} { allow read: if false; } @ GET /a/b
            refused: match /a { allow validate: if true; } @ GET /a
        Realtime Database: rules
            no true: they are JSON, and these are not
            no false: they are JSON, and these are not
            refused: { "rules": { ".read": true } } @ GET /a -- Realtime Database
        slips of JavaScript
            true: auth != null && auth.uid == 'ada'
            false: !(auth != null)
            refused: auth.uid = 'ada' -- ==
            refused: auth != null & $bool -- &&
            refused: auth != null | $bool -- ||
            refused: auth != null and $bool -- &&
            refused: auth != null or $bool -- ||
            refused: not $bool -- !
            refused: auth.uid == 'ada -- '
            refused: auth.uid == `ada` -- '
            refused: auth.uid == undefined -- null
            refused: typeof auth.uid == 'string' -- is string
            refused: match /a { allow read } @ GET /a -- ;
            refused: match /a { allow read: true; } @ GET /a -- if
            refused: match /a { let b = 1; allow read: if b == 1; } @ GET /a -- function
            refused: function f() { true } match /a { allow read: if f(); } @ GET /a -- return
            refused: function f() { return true; return false; } match /a { allow read: if f(); } @ GET /a -- return
        """#)
}
