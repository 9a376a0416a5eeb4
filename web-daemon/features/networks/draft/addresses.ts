// The addresses of this server that belong to a network: those that the far end reaches by its paths, and the one that
// this server sends from.
import { bitsOf, formatIp, parseCidr, parseIp, type Cidr, type Ip } from '@panel/shared/address/ip.ts'
import { whyNoOwnAddress } from '@panel/shared/limits/judge.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { networkNamed } from '@panel/shared/messages/named.ts'
import { whyNoTunnelAddress } from '@panel/shared/tunnel/address-rules.ts'
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import type { DraftContext } from './context.ts'

interface Wrong {
  readonly code: FieldCode
  readonly why: Message
}

/** Null where one is none. `network` null: nothing is known of the family. */
export function draftOwnAddresses(draft: DraftContext, network: Cidr | null): string[] | null {
  const { body, problems, stored } = draft
  if (problems.has('own_addresses')) return null
  const parsed = (body.own_addresses ?? []).map(parseHost)
  const texts = parsed.map((ip) => ip && formatIp(ip))
  for (const [at, ip] of parsed.entries()) {
    const field = `own_addresses.${at}`
    const isKept = ip !== null && stored?.is_enabled === true && stored.own_addresses.includes(formatIp(ip))
    const wrong =
      whyNoHost('own_addresses', ip, network) ??
      (texts.indexOf(texts[at] ?? null) < at
        ? { code: 'INVALID_ADDRESS' as const, why: message('network.own_twice', { address: texts[at] ?? '' }) }
        : null) ??
      (ip && !isKept ? whyNotOwn(draft, ip) : null)
    if (wrong) problems.add(field, wrong.code, wrong.why)
  }
  return texts.filter((text) => text !== null)
}

/** An address alone, or a network that is one. */
function parseHost(text: string): Ip | null {
  const cidr = parseCidr(text)
  return cidr && cidr.prefix_length === bitsOf(cidr.base.family) ? cidr.base : parseIp(text)
}

function whyNoHost(field: string, ip: Ip | null, network: Cidr | null): Wrong | null {
  if (!ip) return { code: 'INVALID_ADDRESS', why: message('input.ip', { field }) }
  if (!network || ip.family === network.base.family) return null
  const family = `IPv${network.base.family}`
  return { code: 'ADDRESS_FAMILY_MISMATCH', why: message('network.family', { field, family }) }
}

function whyNotOwn({ others, facts, body }: DraftContext, ip: Ip): Wrong | null {
  const address = formatIp(ip)
  const reason = whyNoTunnelAddress(ip)
  if (reason) return { code: 'INVALID_ADDRESS', why: message('tunnel.is', { name: address, reason }) }
  const other = others.find(({ own_addresses }) => own_addresses.includes(address))
  if (other)
    return {
      code: 'OWN_ADDRESS_ELSEWHERE',
      why: message('network.own_elsewhere', { address, network: networkNamed(other) }),
    }
  const device = facts.held.find((one) => one.device !== LOOPBACK && formatIp(one.ip) === address)?.device
  if (device !== undefined)
    return { code: 'OWN_ADDRESS_ELSEWHERE', why: message('network.own_of_device', { address, device }) }
  if (!facts.limits || body.is_enabled === false) return null
  const why = whyNoOwnAddress(facts.limits, { base: ip, prefix_length: bitsOf(ip.family) })
  return why && { code: 'BEYOND_LIMITS', why }
}

/** There own addresses stand; what of it is foreign, root knows. */
const LOOPBACK = 'lo'

/** Undefined where it is none. */
export function draftSource(
  { body, problems, facts, stored }: DraftContext,
  network: Cidr | null,
  own_addresses: readonly string[],
): string | null | undefined {
  if (problems.has('source_address')) return undefined
  if (body.source_address === null || body.source_address === undefined) return null
  const ip = parseHost(body.source_address)
  const wrong = whyNoHost('source_address', ip, network)
  if (wrong) problems.add('source_address', wrong.code, wrong.why)
  if (wrong || !ip) return undefined
  const address = formatIp(ip)
  const isHere = own_addresses.includes(address) || facts.held.some((one) => formatIp(one.ip) === address)
  if (!isHere && stored?.source_address !== address)
    problems.add('source_address', 'INVALID_ADDRESS', message('limits.snat', { address }))
  return address
}
