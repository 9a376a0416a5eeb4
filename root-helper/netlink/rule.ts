// RTM_*RULE: the rules by which the kernel chooses a routing table (linux/fib_rules.h), IPv4 and IPv6.
import { attribute, Attributes, DecodeError, forEachAttribute, u32 } from './attributes.ts'
import { isFamily, type AddressFamily } from './bytes.ts'
import * as k from './constants.ts'
import type { Message } from './message.ts'
import type { Request } from './socket.ts'

/** A rule that looks at the mark alone; `isPlain` is false of one that has more conditions or another action. */
export interface RawRule {
  family: AddressFamily
  priority: number
  /** RTPROT_*: who made it. */
  protocol: number
  mark: number
  mask: number
  table: number
  isPlain: boolean
}

export type NewRule = Omit<RawRule, 'isPlain'>

/** Null for a rule of another family than IPv4 and IPv6. */
export function decodeRule({ type, body }: Message): RawRule | null {
  if (type !== k.RTM_NEWRULE) throw new DecodeError(`message type ${type} where a rule is due`)
  const a = new Attributes(body, k.FIB_RULE_HDR_LENGTH)
  const family = body.readUInt8(0)
  if (!isFamily(family)) return null
  return {
    family,
    priority: a.u32(k.FRA_PRIORITY) ?? 0,
    protocol: a.u8(k.FRA_PROTOCOL) ?? 0,
    mark: a.u32(k.FRA_FWMARK) ?? 0,
    mask: a.u32(k.FRA_FWMASK) ?? 0,
    table: a.u32(k.FRA_TABLE) ?? body.readUInt8(4),
    isPlain: isPlain(body, a),
  }
}

/** The lengths of addresses, the class of service, the flags and the action are in struct fib_rule_hdr itself. */
function isPlain(body: Buffer, a: Attributes): boolean {
  const [dst_len, src_len, tos, action] = [1, 2, 3, 7].map((at) => body.readUInt8(at))
  let isKnown = dst_len === 0 && src_len === 0 && tos === 0 && action === k.FR_ACT_TO_TBL && body.readUInt32LE(8) === 0
  forEachAttribute(body, k.FIB_RULE_HDR_LENGTH, body.length, (type) => {
    if (!PLAIN.has(type)) isKnown = false
  })
  return isKnown && NOTHING_SUPPRESSED.every((type) => [null, NONE].includes(a.u32(type)))
}

const NOTHING_SUPPRESSED = [k.FRA_SUPPRESS_PREFIXLEN, k.FRA_SUPPRESS_IFGROUP]
const NONE = 0xffff_ffff
const PLAIN = new Set([
  ...[k.FRA_PRIORITY, k.FRA_PROTOCOL, k.FRA_FWMARK, k.FRA_FWMASK, k.FRA_TABLE],
  ...NOTHING_SUPPRESSED,
])

export const dumpRules = (family: AddressFamily): Request => ({
  what: 'read the routing rules',
  type: k.RTM_GETRULE,
  parts: [header(family, 0)],
})

export const newRule = (rule: NewRule): Request => ({
  what: `add routing rule ${rule.priority} for the mark 0x${rule.mark.toString(16)}`,
  type: k.RTM_NEWRULE,
  flags: k.NLM_F_CREATE | k.NLM_F_EXCL,
  parts: parts(rule),
})

/** The kernel removes the first rule that is like this one in all that is given. */
export const deleteRule = (rule: NewRule): Request => ({
  what: `remove routing rule ${rule.priority} for the mark 0x${rule.mark.toString(16)}`,
  type: k.RTM_DELRULE,
  parts: parts(rule),
})

const parts = ({ family, priority, protocol, mark, mask, table }: NewRule): Buffer[] => [
  header(family, k.FR_ACT_TO_TBL),
  u32(k.FRA_PRIORITY, priority),
  u32(k.FRA_FWMARK, mark),
  u32(k.FRA_FWMASK, mask),
  u32(k.FRA_TABLE, table),
  attribute(k.FRA_PROTOCOL, Buffer.from([protocol])),
]

function header(family: AddressFamily, action: number): Buffer {
  const bytes = Buffer.alloc(k.FIB_RULE_HDR_LENGTH)
  bytes.writeUInt8(family, 0)
  bytes.writeUInt8(action, 7)
  return bytes
}
