// Sees networks: what root keeps, as the kernel holds it.
import { formatCidr, parseCidr } from '@panel/shared/address/ip.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { canonicalNetwork } from '@panel/shared/network/canonical.ts'
import type { NetworkFound, NetworksFound, NetworkState, NetworkStates } from '@panel/shared/network/model.ts'
import type { Params } from '@panel/shared/rpc/methods.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import { RefusedError } from '../../refused.ts'
import { messageOf } from '../../text.ts'

type Host = Pick<Kernel, 'networks' | 'answers'>

/** All networks where no destination is given. Refused while it is not known which they are. */
export async function seeNetworks(
  { networks, answers }: Host,
  destinations: readonly string[],
): Promise<NetworksFound['networks']> {
  const trouble = networks.trouble()
  if (trouble !== null) throw new RefusedError('state_unusable', verbatim(trouble))
  const found = await networks.found(destinations)
  const isDue = ({ state }: NetworkFound): boolean => state.own_addresses.length > 0
  if (!found.some(isDue) || (await isWhole(answers))) return found
  return found.map((one) => (isDue(one) ? { ...one, state: lackingAnswers(one.state) } : one))
}

const lackingAnswers = (state: NetworkState): NetworkState =>
  canonicalNetwork({ ...state, lacks: [...state.lacks, 'answers'] })

/** A program that fails is no reason to see no network: what cannot be read back does not count as whole. */
async function isWhole(answers: Kernel['answers']): Promise<boolean> {
  try {
    return await answers.isWhole()
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    log('warning', 'Whether own addresses are answered by their networks cannot be read', { detail: messageOf(error) })
    return false
  }
}

export async function probeNetworks(
  host: Host,
  { destinations = [] }: Params<'network.probe'>,
): Promise<NetworksFound> {
  const spelled = destinations.map((text) => {
    const cidr = parseCidr(text)
    return cidr ? formatCidr(cidr) : text
  })
  return { networks: await seeNetworks(host, spelled), hash_policy: await host.networks.hashPolicy() }
}

/**
 * What is left in the kernel of what was there before, though root keeps it no more, is found as a part of its network.
 * What an earlier record spoke of is none of it: a new network takes that over.
 */
export async function withStrays(
  { networks }: Pick<Kernel, 'networks'>,
  before: NetworkStates,
  found: NetworkStates,
): Promise<NetworkState[]> {
  const addresses = before.flatMap(({ own_addresses }) => own_addresses)
  const strays = await networks.strays(
    before.map(({ destination }) => destination),
    addresses,
  )
  if (strays.length === 0) return [...found]
  const others = found.filter(({ destination }) => before.every((state) => state.destination !== destination))
  const each = before.flatMap((state): NetworkState[] => {
    const held = found.find(({ destination }) => destination === state.destination)
    const own = state.own_addresses.filter((address) => strays.includes(address))
    const lacks = strays.includes(state.destination) ? ['route'] : []
    if (own.length + lacks.length === 0) return held ? [held] : []
    if (held) return [{ ...held, own_addresses: [...held.own_addresses, ...own] }]
    const paths = state.paths.map((path) => ({ ...path, weight: 0 }))
    return [{ ...state, source: null, paths, own_addresses: own, lacks }]
  })
  return [...others, ...each]
}
