// How a change can end, and why root can refuse to begin: two closed lists that both daemons share.
import { Check } from '../change/check.ts'
import { line, nullable, strict, stringEnum, Type, type Static } from '../schema.ts'

/**
 * applied: the host was read back and holds `after`. restored: it did not work, and the host was read back and holds
 * `before` again. stuck: neither; `remediation` says what a person can do. `steps` are the kinds of the executed steps
 * in order, those of the way back included.
 */
export const Outcome = strict({
  outcome: stringEnum(['applied', 'restored', 'stuck']),
  checks: Type.Array(Check),
  steps: Type.Array(Type.String({ pattern: '^[a-z_]{1,40}$' })),
  failure: nullable(strict({ step: Type.String({ pattern: '^[a-z_]{0,40}$' }), message: line(2000) })),
  remediation: Type.Array(line(500)),
})
export type Outcome = Static<typeof Outcome>

/** The words root refuses in, and their numbers in JSON-RPC (application errors, outside -32768..-32000). */
export const REFUSALS = {
  malformed: 1,
  stale_state: 2,
  unsupported: 3,
  busy: 4,
  kernel_refused: 5,
  protected_interface: 10,
  foreign_unit_file: 11,
  unmodelled_state: 12,
  foreign_sysctl_file: 13,
  protected_port: 14,
  state_unusable: 15,
  protected_address: 16,
  /** There is a window already. */
  window_open: 17,
  /** The panel has not taken note of the last window yet, or it cannot be taken back. */
  window_ended: 18,
  /** There is no open window of that id. */
  window_over: 19,
  /** The way back from the change would not work. */
  irreversible: 20,
  /** Routes that came by router advertisement would go. */
  would_lose_ipv6: 21,
  /** Beyond what limits.conf of this host allows. */
  beyond_limits: 22,
} as const
export type RefusalCode = keyof typeof REFUSALS

export const refusalOf = (number: number): RefusalCode | null =>
  (Object.keys(REFUSALS) as RefusalCode[]).find((code) => REFUSALS[code] === number) ?? null
