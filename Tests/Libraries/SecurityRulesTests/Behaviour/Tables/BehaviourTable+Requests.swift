extension BehaviourTable {
    static let requests = BehaviourTable(
        #"""
        request.auth
            true: request.auth != null; request.auth.uid == auth.uid; request.auth.uid == 'ada'
            true: request.auth.provider == 'google'; request.auth['uid'] == 'ada'; request.auth.token.string == 'Ada'
            true: request.auth != null && request.auth.uid == user
            false: request.auth.uid == 'bob'; request.auth == null
            refused: request.auth.name == 'ada'
            fails: request.auth.token.missing == 'x'
            refused: request.auth.token.missing == null -- in request.auth.token
            refused: request.user.uid == 'ada'
        request.auth, signed out
            true: request.auth == null; auth == null
            false: request.auth != null; request.auth != null && request.auth.uid == 'ada'
            fails: request.auth.uid == 'ada'; request.auth.uid != 'eve'; auth.token.admin
        auth
            true: auth.uid == 'ada'; 'token' in auth
            false: auth.uid == 'bob'
            fails: auth.token.nobody == 1
            refused: auth.nobody == 1
        request.method
            true: request.method == 'GET'; request.method in ['GET', 'HEAD']
            false: request.method == 'POST'
            fails: request.method + $int == 'GET7'
            refused, false: request.method == 'get' -- GET
            refused, false: request.method == 'write' -- POST
        request.path
            true: request.path == /users/ada/docs; request.path[0] == 'users'
            true: string(request.path) == '/users/ada/docs'
            false: request.path == /users/ada
            fails: request.path[3] == 'a'
            refused: request.path.size() == 3
        request.time
            true: request.time is timestamp; request.time > $timestamp; request.time.year() == 2009
            true: $auth_time <= request.time.toMillis() / 1000
            false: request.time < $timestamp
            fails: request.time - $int == request.time
            refused: request.time < 5
        request.host
            true: request.host == 'api.example.com'; request.host.matches('.*[.]example[.]com')
            false: request.host == 'example.com'
            refused, false: request.host == 'API.example.com' -- lower case
            no error: it is always there
        request.query
            true: request.query.page == '2'; request.query['q'] == 'a b'; 'page' in request.query
            true: request.query.get('size', '10') == '10'; int(request.query.page) < 10
            false: request.query.page == '3'
            refused, false: request.query.page == 2
            false: 'size' in request.query
            fails: request.query.size == '10'; request.query.twice == 'a'; int(request.query.q) == 0
        request.headers
            true: request.headers['x-tenant'] == 'acme'; request.headers.accept == 'text/html'
            true: 'accept' in request.headers; request.headers.get('x-none', '') == ''
            false: request.headers.accept == '*/*'; 'x-none' in request.headers
            fails: request.headers['x-none'] == 'a'
            refused: request.headers['X-Tenant'] == 'acme' -- x-tenant
            refused: request.headers['authorization'] != null -- auth
            refused: request.headers['cookie'] != null -- auth
            refused: request.headers['proxy-authorization'] != null -- auth
        request
            no true: it is no value, only its members are
            no false: it is no value, only its members are
            refused: request == null; request.resource.data.owner == 'ada'; request.data.owner == 'ada'
        captures
            true: user == 'ada'; rest == /docs; rest[0] == 'docs'; user is string; rest is path
            false: user == 'bob'
            fails: rest[1] == 'a'
            refused: nobody == 'ada'
        unreadable values
            true: 'unreadable' in auth.token; $unreadable != $missing || true
            false: !('unreadable' in auth.token)
            fails: [$unreadable] == [null]; $unreadable == $unreadable; $unreadable + 1 == 1; $unreadable.size() == 0
            fails: $unreadable.a == 1; $unreadable is string; string($unreadable) == ''
        debug
            true: debug($int) == 7; debug($bool)
            false: debug($int) == 8
            fails: debug($missing) == 7
            refused: debug() == 7
        recentSignIn
            true: recentSignIn(duration.value(5, 'm')); recentSignIn(duration.value(1, 'h')) && $bool
            step-up: recentSignIn(duration.value(1, 'm')); $bool && recentSignIn(duration.value(299, 's'))
            false: !recentSignIn(duration.value(5, 'm')); recentSignIn(duration.value(1, 'm')) && $int == 8
            fails: recentSignIn($int); recentSignIn($missing)
            refused: recentSignIn(300); recentSignIn()
        recentSignIn, signed out
            true: !recentSignIn(duration.value(1, 'h'))
            false: recentSignIn(duration.value(1, 'h'))
            fails: recentSignIn(auth.token.a)
        secondFactor
            true: !secondFactor()
            step-up: secondFactor()
            false: secondFactor() && $int == 8
            refused: secondFactor(1)
        """#)
}
