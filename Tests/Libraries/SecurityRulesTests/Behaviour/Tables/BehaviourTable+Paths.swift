extension BehaviourTable {
    static let paths = BehaviourTable(
        #"""
        path
            true: path('/users/ada') == /users/ada
            true: path('users/ada') == /users/ada
            true: path($path) == $path
            false: path('/users/ada') == /users
            fails: path($int) == /users
            fails: path($empty + '//') == /users
            refused: path('//') == /users
            refused: path(1) == /users
        Path[i]
            true: $path[0] == 'users'
            true: $path[2] == 'docs'
            true: request.path[1] == 'ada'
            false: $path[0] == 'docs'
            fails: $path[3] == 'a'
            refused: $path[-1] == 'a'
            refused: $path[1.0] == 'ada'
        Path[name]
            true: $path['user'] == 'ada'
            true: $path.user == 'ada'
            false: $path.user == 'users'
            fails: $path['nobody'] == 'ada'
            fails: $path.nobody == 'ada'
        Path.bind
            true: path('/users/$(user)').bind({'user': 'bob'}) == /users/bob
            true: path('/a/$(b)').bind({'b': 'c'})['b'] == 'c'
            false: path('/users/$(user)').bind({'user': 'bob'}) == /users/ada
            fails: path('/users/$(user)').bind({}) == /users/bob
            fails: path('/users/$(user)').bind({'user': 1}) == /users/1
            fails: $string.bind({}) == /users
            refused: $path.bind('a') == /users
        """#)
}
