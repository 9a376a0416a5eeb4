// Which warnings about a rule are shown as such: not what every rule has that goes by the defaults, nor what a cause
// says already, beside what takes it away (decisions.md, S27).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { CauseCode } from '@panel/shared/api/routes/cause-codes.ts'

const USUAL: readonly Warning['code'][] = ['BIND_ANY_ADDRESS', 'NAT_HIDES_CLIENT_ADDRESS']

const SAID_BY: Readonly<Partial<Record<Warning['code'], readonly CauseCode[]>>> = {
  ALL_DESTINATIONS_DOWN: ['DESTINATIONS_DOWN'],
  BIND_ADDRESS_NOT_FOUND: ['LISTENER_ABSENT'],
  CONNTRACK_NEARLY_FULL: ['TABLE_NEARLY_FULL'],
  DESTINATION_DOWN: ['DESTINATIONS_DOWN'],
  FOREIGN_CONNECTION_MARK: ['FOREIGN_MARK'],
  FOREIGN_DNAT: ['FOREIGN_DNAT'],
  FOREIGN_FORWARD_POLICY_DROP: ['FOREIGN_DROP', 'FOREIGN_MAY_DROP'],
  HOSTNAME_UNRESOLVED: ['DESTINATION_UNRESOLVED'],
  INTERFACE_WITHOUT_ADDRESS: ['LISTENER_ABSENT'],
  IP_FORWARDING_OFF: ['FORWARDING_OFF'],
  ROUTE_OVERLAPS_RULE: ['RULE_SHADOWED'],
}

export const isUsual = ({ code }: Pick<Warning, 'code'>): boolean => USUAL.includes(code)

export const unusual = <W extends Pick<Warning, 'code'>>(
  warnings: readonly W[],
  causes: readonly { readonly code: CauseCode }[],
): W[] =>
  warnings.filter((one) => !isUsual(one) && !causes.some(({ code }) => SAID_BY[one.code]?.includes(code) === true))
