// Where a network leads to: to a destination that no other network has, that root allows, and that holds nothing which
// this server needs on its own way.
import { contains, formatCidr, parseCidr, parseIp, type Cidr } from '@panel/shared/address/ip.ts'
import { whyNoNetwork } from '@panel/shared/limits/judge.ts'
import { message } from '@panel/shared/messages/message.ts'
import { networkNamed } from '@panel/shared/messages/named.ts'
import { ROUTE_LOOKUPS_MAX } from '@panel/shared/rpc/methods.ts'
import type { Kept } from '@panel/shared/tunnel/address-rules.ts'
import { warn, type DraftContext } from './context.ts'

/** Null where it is none. */
export async function draftDestination(draft: DraftContext): Promise<Cidr | null> {
  const { body, problems, stored, others } = draft
  if (problems.has('destination')) return null
  const network = parseCidr(body.destination ?? '')
  if (!network) {
    problems.add('destination', 'INVALID_CIDR', message('input.cidr', { field: 'destination' }))
    return null
  }
  const text = formatCidr(network)
  const same = others.find(({ destination }) => destination === text)
  if (same)
    problems.add('destination', 'NETWORK_EXISTS', message('network.exists', { network: networkNamed(same) }), {
      network_id: same.network_id,
    })
  const isMoved = stored?.destination !== text
  if (isMoved || (!stored.is_enabled && body.is_enabled === true)) {
    checkWidth(draft, network)
    if (!problems.has('destination')) await checkHeld(draft, network)
  }
  if (isMoved && problems.isEmpty) warnOfNesting(draft, network)
  return network
}

/** Wider ones need root's word in limits.conf, and the message has the command. */
function checkWidth({ problems, facts }: DraftContext, network: Cidr): void {
  const why = facts.limits && whyNoNetwork(facts.limits, network)
  if (why) problems.add('destination', why.message_id === 'limits.beyond' ? 'NETWORK_TOO_WIDE' : 'BEYOND_LIMITS', why)
}

/** What is reached by a longer prefix goes on being reached by it. */
async function checkHeld(draft: DraftContext, network: Cidr): Promise<void> {
  const { problems, context, body } = draft
  const own = body.own_addresses ?? []
  const inside = keptAddresses(draft)
    .filter(({ address, ip }) => contains(network, ip) && !own.includes(address))
    .slice(0, ROUTE_LOOKUPS_MAX)
  if (inside.length === 0) return
  const { routes } = await context.request('route.lookup', { addresses: inside.map(({ address }) => address) })
  const lost = inside.find((_, at) => {
    const length = parseCidr(routes[at]?.destination ?? '')?.prefix_length ?? -1
    return length <= network.prefix_length
  })
  if (!lost) return
  const { address, what } = lost
  problems.add(
    'destination',
    'NETWORK_HOLDS_ENDPOINT',
    message('tunnel.takes_kept', { network: formatCidr(network), address, what }),
    { address },
  )
}

interface KeptAddress extends Kept {
  readonly address: string
}

/** The far ends of tunnels, next hops, and the name servers of the settings. */
function keptAddresses({ tunnels, facts, context }: DraftContext): KeptAddress[] {
  const ends = tunnels.map(({ remote_endpoint, interface_name: device }) => ({
    address: remote_endpoint,
    what: message('tunnel.kept_far_end', { device }),
  }))
  const hops = facts.routes.map(({ entry: { gateway, device } }) => ({
    address: gateway,
    what: message('tunnel.kept_gateway', { device }),
  }))
  const resolvers = context.settings
    .get('routes.dns_servers')
    .map((address) => ({ address, what: message('tunnel.kept_resolver') }))
  return [...ends, ...hops, ...resolvers].flatMap((one) => {
    const ip = parseIp(one.address)
    return ip ? [{ ...one, ip }] : []
  })
}

/** The longest prefix decides, so both are allowed. */
function warnOfNesting(draft: DraftContext, network: Cidr): void {
  const others = draft.others.flatMap((other) => {
    const cidr = parseCidr(other.destination)
    return cidr && cidr.base.family === network.base.family ? [{ cidr, network: networkNamed(other) }] : []
  })
  const outer = others.filter(({ cidr }) => contains(cidr, network.base) && cidr.prefix_length < network.prefix_length)
  const inner = others.filter(({ cidr }) => contains(network, cidr.base) && cidr.prefix_length > network.prefix_length)
  const destination = formatCidr(network)
  const named = (some: typeof others) => some.map((one) => one.network)
  if (outer.length > 0)
    warn(
      draft,
      'NETWORK_INSIDE_NETWORK',
      'destination',
      message('network.inside', { destination, networks: named(outer) }),
    )
  if (inner.length > 0)
    warn(
      draft,
      'NETWORK_INSIDE_NETWORK',
      'destination',
      message('network.holds_networks', { destination, networks: named(inner) }),
    )
}
