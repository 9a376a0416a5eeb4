// What other software has put into netfilter, as far as relayed packets meet it. It is read, and there is no word here
// that could change it.
import { line, nullable, strict, stringEnum, Type, type Static } from '../schema.ts'

export const FOREIGN_MANAGERS = ['docker', 'ufw', 'firewalld', 'iptables', 'nftables'] as const
export type ForeignManager = (typeof FOREIGN_MANAGERS)[number]
export const FOREIGN_HOOKS = ['forward', 'prerouting', 'postrouting', 'input', 'output', 'ingress'] as const
/**
 * "none": evaluation continues with the next rule. "other": not evaluated, such as an iptables extension, or a verdict
 * map that cannot be read.
 */
export const FOREIGN_VERDICTS = [
  'none',
  'accept',
  'drop',
  'reject',
  'return',
  'jump',
  'goto',
  'translate',
  'other',
] as const
/** What a rule looks at. `ct` is the state of the connection and how it is translated, `original_...` its listener. */
export const FOREIGN_FIELDS = [
  'family',
  'protocol',
  'source',
  'source_port',
  'source_type',
  'destination',
  'destination_port',
  'destination_type',
  'in_interface',
  'out_interface',
  'ct',
  'direction',
  'original_destination',
  'original_port',
  'mark',
] as const
/** What a rule does beside its verdict. */
export const FOREIGN_EFFECTS = ['connection_mark', 'packet_mark', 'notrack', 'synproxy', 'zone'] as const
export const FOREIGN_RULES_MAX = 1000
export const FOREIGN_VALUES_MAX = 256
export const FOREIGN_BRANCHES_MAX = 64

const Name = line(300)
const Manager = stringEnum(FOREIGN_MANAGERS)

/** `hook` null: rules lead to it. `table` is the family and the name, "inet filter". */
export const ForeignChain = strict({
  table: Name,
  chain: Name,
  manager: Manager,
  hook: nullable(stringEnum(FOREIGN_HOOKS)),
  /** Chains of the type nat see the first packet of a connection alone. */
  is_nat: Type.Boolean(),
  priority: Type.Integer(),
  policy: stringEnum(['accept', 'drop']),
})
export type ForeignChain = Static<typeof ForeignChain>

/**
 * Met by a packet whose field is one of the values, with `is_not` by any other. Addresses and ports may be ranges
 * ("10.0.0.0/8", "80-90"), and the name of an interface may end with an asterisk.
 */
export const ForeignCondition = strict({
  field: stringEnum(FOREIGN_FIELDS),
  is_not: Type.Boolean(),
  values: Type.Array(line(100), { maxItems: FOREIGN_VALUES_MAX }),
})
export type ForeignCondition = Static<typeof ForeignCondition>

export const ForeignBranch = strict({
  conditions: Type.Array(ForeignCondition, { maxItems: 64 }),
  verdict: stringEnum(FOREIGN_VERDICTS),
  target: Name,
})
export type ForeignBranch = Static<typeof ForeignBranch>

/**
 * The first branch whose conditions a packet meets decides; a rule without a verdict map has one branch. `is_whole`:
 * nothing else decides whether the rule matches.
 */
export const ForeignRule = strict({
  table: Name,
  chain: Name,
  manager: Manager,
  text: line(300),
  branches: Type.Array(ForeignBranch, { maxItems: FOREIGN_BRANCHES_MAX }),
  effects: Type.Array(stringEnum(FOREIGN_EFFECTS), { maxItems: FOREIGN_EFFECTS.length }),
  is_whole: Type.Boolean(),
})
export type ForeignRule = Static<typeof ForeignRule>

/** The rules of a chain are in their order. `is_whole` false: some were left out, or could not be listed. */
export const ForeignFound = strict({
  is_readable: Type.Boolean(),
  detail: line(300),
  managers: Type.Array(Manager, { maxItems: FOREIGN_MANAGERS.length }),
  chains: Type.Array(ForeignChain, { maxItems: FOREIGN_RULES_MAX }),
  rules: Type.Array(ForeignRule, { maxItems: FOREIGN_RULES_MAX }),
  total: Type.Integer({ minimum: 0 }),
  is_whole: Type.Boolean(),
})
export type ForeignFound = Static<typeof ForeignFound>

export const nothingForeign = (detail: string): ForeignFound => ({
  is_readable: detail === '',
  detail,
  managers: [],
  chains: [],
  rules: [],
  total: 0,
  is_whole: true,
})
