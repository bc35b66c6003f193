extension BehaviourTable {
    static let paths = BehaviourTable(
        #"""
        path
            true: path('/users/ada') == /users/ada; path('users/ada') == /users/ada; path($path) == $path
            false: path('/users/ada') == /users
            fails: path($int) == /users; path($empty + '//') == /users
            refused: path('//') == /users; path(1) == /users
        Path[i]
            true: $path[0] == 'users'; $path[2] == 'docs'; request.path[1] == 'ada'
            false: $path[0] == 'docs'
            fails: $path[3] == 'a'
            refused: $path[-1] == 'a'; $path[1.0] == 'ada'
        Path[name]
            true: $path['user'] == 'ada'; $path.user == 'ada'
            false: $path.user == 'users'
            fails: $path['nobody'] == 'ada'; $path.nobody == 'ada'
        Path.bind
            true: path('/users/$(user)').bind({'user': 'bob'}) == /users/bob
            true: path('/a/$(b)').bind({'b': 'c'})['b'] == 'c'
            false: path('/users/$(user)').bind({'user': 'bob'}) == /users/ada
            fails: path('/users/$(user)').bind({}) == /users/bob; path('/users/$(user)').bind({'user': 1}) == /users/1
            fails: $string.bind({}) == /users
            refused: $path.bind('a') == /users
        """#)
}
