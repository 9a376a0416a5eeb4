// What other software has put into netfilter, as far as relayed packets meet it. It is read, and there is no word here
// that could change it.
import { integer, line, nullable, strict, stringEnum, Type, type Static } from '../schema.ts'

export const FOREIGN_MANAGERS = ['docker', 'ufw', 'firewalld', 'iptables', 'nftables'] as const
export type ForeignManager = (typeof FOREIGN_MANAGERS)[number]
export const FOREIGN_HOOKS = ['forward', 'prerouting', 'postrouting', 'input', 'output'] as const
/**
 * "none": evaluation continues with the next rule. "other": not evaluated, such as a verdict map or an iptables
 * extension.
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
export const FOREIGN_RULES_MAX = 1000

const Name = line(300)
const Manager = stringEnum(FOREIGN_MANAGERS)
const Device = Type.String({ pattern: '^[^\\s/]{0,15}$' })
const Port = nullable(integer(0, 65_535))

/** `hook` null: rules lead to it. `table` is the family and the name, "inet filter". */
export const ForeignChain = strict({
  table: Name,
  chain: Name,
  manager: Manager,
  hook: nullable(stringEnum(FOREIGN_HOOKS)),
  priority: Type.Integer(),
  policy: stringEnum(['accept', 'drop']),
})
export type ForeignChain = Static<typeof ForeignChain>

/**
 * Every packet that the rule matches meets these conditions: "" and null are any, and ports are the range from first to
 * last. `is_whole`: every packet that meets them matches. `ct`: the conntrack state that is required ("never": neither
 * new nor established). `is_ct_mark_set`: it writes the mark of the connection.
 */
export const ForeignRule = strict({
  table: Name,
  chain: Name,
  manager: Manager,
  text: line(300),
  family: stringEnum(['', 'ip', 'ip6']),
  protocol: Type.String({ pattern: '^[a-z0-9-]{0,20}$' }),
  address: Type.String({ pattern: '^([0-9a-f:.]{2,39}(/[0-9]{1,3})?)?$' }),
  port: Port,
  port_end: Port,
  in_interface: Device,
  out_interface: Device,
  ct: stringEnum(['', 'new', 'established', 'tracked', 'dnat', 'never']),
  is_ct_mark_set: Type.Boolean(),
  is_whole: Type.Boolean(),
  verdict: stringEnum(FOREIGN_VERDICTS),
  target: Name,
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
