/// All that a gateway keeps: both stores are one.
public typealias GatewayStore = Store & NonceStore & AccountStore
