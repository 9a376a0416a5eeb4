// A tunnel, a rule, a pool or a network that a sentence names: its name, and beside it the id by which the page links it.
import { message, type Message } from './message.ts'

export const tunnelNamed = (tunnel: { interface_name: string; tunnel_id?: number | null | undefined }): Message =>
  named('object.tunnel', tunnel.interface_name, tunnel.tunnel_id)

export const ruleNamed = (rule: { route_rule_title: string; route_rule_id?: number | null | undefined }): Message =>
  named('object.rule', rule.route_rule_title, rule.route_rule_id)

export const poolNamed = (pool: { address_pool_title: string; address_pool_id?: number | null | undefined }): Message =>
  named('object.pool', pool.address_pool_title, pool.address_pool_id)

export const networkNamed = (network: { network_title: string; network_id?: number | null | undefined }): Message =>
  named('object.network', network.network_title, network.network_id)

export const poolWithRange = (pool: Parameters<typeof poolNamed>[0] & { cidr: string }): Message =>
  message('object.pool_range', { pool: poolNamed(pool), cidr: pool.cidr })

/** What is not stored yet has no id. */
function named(
  as: 'object.tunnel' | 'object.rule' | 'object.pool' | 'object.network',
  name: string,
  id: number | null | undefined,
): Message {
  const sentence = message(as, { name })
  return typeof id !== 'number' ? sentence : { ...sentence, params: { name, id } }
}
