// What a client may send about reconciliation, and what it is answered (interface.md, Reconcile; decisions.md, S8 to S17).
import { integerEnum, nullable, strict, Type, type Static } from '../model/schema.ts'
import { INTERFACE_NAME_PATTERN } from '../model/tunnel.ts'
import type { Warning } from './errors.ts'
import { PERSISTENCE_TYPES, TUNNEL_SIDES, type ReconcileStatus } from './lookups.ts'
import type { RouteFindings } from './route-findings.ts'
import type { ObservedView, PlanView, TunnelView } from './tunnel-answers.ts'


export type ReconcileAction = 'adopt' | 'ignore' | 'unignore' | 'reapply' | 'forget' | 'delete'

const says = (code: string, message: string, description: string) => ({ 'x-code': code, 'x-message': message, description })
const NAME_SENTENCE = 'interface_name must be 1 to 15 letters, digits, "_", "." or "-", and begin with a letter or digit.'

export const AdoptBody = strict({
  interface_name: Type.String({ pattern: INTERFACE_NAME_PATTERN, ...says('INVALID_INTERFACE_NAME', NAME_SENTENCE, 'Name of the tunnel interface to take under management.') }),
  tunnel_side_id: Type.Optional(integerEnum(Object.values(TUNNEL_SIDES), says('INVALID_TUNNEL_SIDE', 'tunnel_side_id must be 10 (A) or 20 (B).', 'Which of the two ends this server is. Default 10, A, whatever the name says.'))),
  persistence_type_id: Type.Optional(
    integerEnum(Object.values(PERSISTENCE_TYPES), says('INVALID_PERSISTENCE_TYPE', 'persistence_type_id must be 10 (systemd), 20 (networkd) or 30 (runtime only).', 'What brings the tunnel back after a reboot. Absent: as it is kept now by a unit of the panel\'s own, else runtime only.')),
  ),
  address_pool_id: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: 2 ** 53 - 1, ...says('UNKNOWN_ADDRESS_POOL', 'address_pool_id must be the id of a pool, or null.', 'Pool that the tunnel counts to. Absent: the narrowest one that its addresses lie in. Null: none.') })),
  ),
  note: Type.Optional(Type.String({ maxLength: 2000, pattern: '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$', ...says('INVALID_VALUE', 'note must be text of at most 2000 characters.', 'Anything worth remembering about the tunnel.') })),
  takeover: Type.Optional(Type.Boolean(says('INVALID_VALUE', 'takeover must be true or false.', 'Have a systemd unit of the panel\'s own make the tunnel at boot from now on. The link is not touched by it.'))),
})
export type AdoptBody = Static<typeof AdoptBody>

export const IgnoreBody = strict({
  // Any device's name: what cannot be adopted for its name can still be ignored.
  interface_name: Type.String({ pattern: '^[^\\s/]{1,15}$', ...says('INVALID_INTERFACE_NAME', 'interface_name must be 1 to 15 characters without blanks and "/".', 'Name of the interface to leave out of the report, or to report again.') }),
  ignored: Type.Optional(Type.Boolean(says('INVALID_VALUE', 'ignored must be true or false.', 'False: report the interface again. Default true.'))),
})
export type IgnoreBody = Static<typeof IgnoreBody>

/** One fact that differs, under the name that a verification gives it; facts of the saved side begin with "saved.". */
export interface ReconcileDiff {
  field: string
  desired: string
  actual: string
}

export interface LegacyName {
  tunnel_number: number
  /** The two letters. */
  marker: string
  /** The panel's unit file of that name, or what stands in its place; "" where there is none. */
  unit_path: string
  is_panel_owned: boolean
}

/** When a pass in the background first saw the status that the item has now, and what had started it. */
export interface Noticed {
  at: string
  because: PassReason
}

export interface ReconcileItem {
  interface_name: string
  /** Null where the panel does not manage it. */
  tunnel_id: number | null
  status: ReconcileStatus
  reconcile_status_id: number
  detail: string
  diffs: ReconcileDiff[]
  actions: ReconcileAction[]
  legacy: LegacyName | null
  observed: ObservedView
  is_ignored: boolean
  /** What the link carries and the panel cannot keep, in the words of `ip`: a change that would lose it is refused. */
  unmodelled: string[]
  /** Files in the place of the panel's own that it did not write, or that somebody edited since: never overwritten. */
  foreign_files: string[]
  /** Null where no pass has seen the status yet. */
  noticed: Noticed | null
}

export type PassReason = 'start' | 'event' | 'change' | 'period'

export type ReconcileCounts = Record<ReconcileStatus, number>

/** Null in `from` is an interface that was not there, in `to` one that is not any more. */
export interface StatusChange {
  interface_name: string
  tunnel_id: number | null
  from: ReconcileStatus | null
  to: ReconcileStatus | null
}

/** `changed` is what differs from the pass before; of the first, whatever is not in sync. */
export interface LastPass extends Noticed {
  counts: ReconcileCounts
  changed: StatusChange[]
}

export interface ReconcileAnswer extends RouteFindings {
  items: ReconcileItem[]
  counts: ReconcileCounts
  ignored_interfaces: string[]
  /** Units of the panel's own that make an interface at boot which is neither there nor managed. */
  leftover_units: string[]
  last_pass: LastPass | null
  checked_at: string
}

export interface AdoptAnswer {
  tunnel: TunnelView
  /** The kernel is never touched. */
  interface_bounced: false
  legacy: LegacyName | null
  /** What was read from the kernel, under the names of the record. */
  imported: Record<string, unknown>
  /** Unit files that stood for the interface and are managed from now on. */
  units_taken_over: string[]
  /** Files as they were before they were rewritten or removed. */
  backups: { path: string; content: string }[]
  plan: PlanView
  warnings: Warning[]
}

export interface IgnoreAnswer {
  ignored_interfaces: string[]
  note: string
}

export interface ForgetAnswer {
  forgotten: true
  tunnel: TunnelView
  note: string
}
