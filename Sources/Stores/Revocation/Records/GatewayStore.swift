/// All that a gateway keeps: both stores are one.
package typealias GatewayStore = Store & NonceStore & AccountStore
