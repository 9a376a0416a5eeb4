// What a client may send about reconciliation, and what it is answered (reference.md, Reconcile; decisions.md, S8 to
// S17).
import { message } from '../messages/message.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { INTERFACE_NAME_PATTERN } from '../tunnel/model.ts'
import { sentence, Warning } from './base/errors.ts'
import { lookupId, refusedWith, withNull } from './base/fields.ts'
import { HealView } from './base/heal.ts'
import { PERSISTENCE_TYPES, RECONCILE_STATUSES, TUNNEL_SIDES, type ReconcileStatus } from './base/lookups.ts'
import { NetworkFindings } from './networks/findings.ts'
import { RouteFindings } from './routes/findings.ts'
import {
  Always,
  Anything,
  countsOf,
  Flag,
  Id,
  idIn,
  Instant,
  list,
  Never,
  oneOf,
  shape,
  Text,
  described,
  Whole,
  wordIn,
} from './base/shapes.ts'
import { ObservedView, PlanView, TunnelView } from './tunnels/answers.ts'

const Action = oneOf(['adopt', 'ignore', 'unignore', 'reapply', 'forget', 'delete'])

export const AdoptBody = shape('AdoptBody', {
  interface_name: Type.String({
    pattern: INTERFACE_NAME_PATTERN,
    ...refusedWith(
      'INVALID_INTERFACE_NAME',
      message('input.interface_name', { field: 'interface_name' }),
      'Name of the tunnel interface to adopt.',
    ),
  }),
  tunnel_side_id: Type.Optional(
    lookupId(
      TUNNEL_SIDES,
      refusedWith(
        'INVALID_TUNNEL_SIDE',
        message('input.choice', { field: 'tunnel_side_id', options: '10 (A) or 20 (B)' }),
        'Which of the two ends this server is. Default 10, A, whatever the name says.',
      ),
    ),
  ),
  persistence_type_id: Type.Optional(
    lookupId(
      PERSISTENCE_TYPES,
      refusedWith(
        'INVALID_PERSISTENCE_TYPE',
        message('input.choice', {
          field: 'persistence_type_id',
          options: '10 (systemd), 20 (networkd) or 30 (runtime only)',
        }),
        "What brings the tunnel back after a reboot. Absent: as it is kept now by a unit of the panel's own, else runtime only.",
      ),
    ),
  ),
  address_pool_id: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: 2 ** 53 - 1,
        ...refusedWith(
          'UNKNOWN_ADDRESS_POOL',
          withNull(message('input.pool_id', { field: 'address_pool_id' })),
          'Pool that the tunnel belongs to. Absent: the narrowest one that its addresses lie in. Null: none.',
        ),
      }),
    ),
  ),
  note: Type.Optional(
    Type.String({
      maxLength: 2000,
      pattern: '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$',
      ...refusedWith(
        'INVALID_VALUE',
        message('input.text', { field: 'note', length: 2000 }),
        'Anything worth remembering about the tunnel.',
      ),
    }),
  ),
  takeover: Type.Optional(
    Type.Boolean(
      refusedWith(
        'INVALID_VALUE',
        message('input.flag', { field: 'takeover' }),
        "Have a systemd unit of the panel's own make the tunnel at boot from now on. The link is not touched by it.",
      ),
    ),
  ),
})
export type AdoptBody = Static<typeof AdoptBody>

export const IgnoreBody = shape('IgnoreBody', {
  // Any device's name: what cannot be adopted for its name can still be ignored.
  interface_name: Type.String({
    pattern: '^[^\\s/]{1,15}$',
    ...refusedWith(
      'INVALID_INTERFACE_NAME',
      message('input.device_name', { field: 'interface_name' }),
      'Name of the interface to leave out of the report, or to report again.',
    ),
  }),
  ignored: Type.Optional(
    Type.Boolean(
      refusedWith(
        'INVALID_VALUE',
        message('input.flag', { field: 'ignored' }),
        'False: report the interface again. Default true.',
      ),
    ),
  ),
})
export type IgnoreBody = Static<typeof IgnoreBody>

const Status = wordIn(RECONCILE_STATUSES)

/** One fact that differs, under the name that a verification gives it; facts of the saved side begin with "saved.". */
export const ReconcileDiff = strict({ field: Text, desired: Text, actual: Text })
export type ReconcileDiff = Static<typeof ReconcileDiff>

export const LegacyName = shape('LegacyName', {
  tunnel_number: Whole,
  marker: described(Text, 'The two letters.'),
  unit_path: described(
    Text,
    'The panel\'s unit file of that name, or what stands in its place; "" where there is none.',
  ),
  is_panel_owned: Flag,
})
export type LegacyName = Static<typeof LegacyName>

const Reason = oneOf(['start', 'event', 'change', 'period'])
export type PassReason = Static<typeof Reason>

/** When a pass in the background first saw the status that the item has now, and what had started it. */
export const Noticed = strict({ at: Instant, because: Reason })
export type Noticed = Static<typeof Noticed>

export const ReconcileItem = shape('ReconcileItem', {
  interface_name: Text,
  display_name: described(Text, '"" where there is none, or the panel does not manage it.'),
  tunnel_id: described(nullable(Id), 'Null where the panel does not manage it.'),
  status: Status,
  reconcile_status_id: idIn(RECONCILE_STATUSES),
  ...sentence('detail'),
  diffs: list(ReconcileDiff),
  actions: list(Action),
  legacy: nullable(LegacyName),
  observed: ObservedView,
  is_ignored: Flag,
  unmodelled: described(
    list(Text),
    'What the link carries and the panel cannot keep, in the words of ip: a change that would lose it is refused.',
  ),
  foreign_files: described(
    list(Text),
    "Files in the place of the panel's own that it did not write, or that somebody edited since: never overwritten.",
  ),
  noticed: described(nullable(Noticed), 'Null where no pass has seen the status yet.'),
  heal: described(nullable(HealView), 'Null where the panel does not manage it.'),
})
export type ReconcileItem = Static<typeof ReconcileItem>

export const ReconcileCounts = countsOf(Object.keys(RECONCILE_STATUSES) as ReconcileStatus[])
export type ReconcileCounts = Static<typeof ReconcileCounts>

export const StatusChange = strict({
  interface_name: Text,
  tunnel_id: nullable(Id),
  from: described(nullable(Status), 'Null: an interface that did not exist.'),
  to: described(nullable(Status), 'Null: one that no longer exists.'),
})
export type StatusChange = Static<typeof StatusChange>

export const LastPass = shape('ReconcilePass', {
  ...Noticed.properties,
  counts: ReconcileCounts,
  changed: described(list(StatusChange), 'What differs from the pass before; of the first, whatever is not in sync.'),
})
export type LastPass = Static<typeof LastPass>

export const ReconcileAnswer = shape('Reconciliation', {
  ...RouteFindings.properties,
  ...NetworkFindings.properties,
  items: list(ReconcileItem),
  counts: ReconcileCounts,
  ignored_interfaces: list(Text),
  leftover_units: described(
    list(Text),
    "Units of the panel's own that make an interface at boot which is neither there nor managed.",
  ),
  last_pass: nullable(LastPass),
  checked_at: Instant,
})
export type ReconcileAnswer = Static<typeof ReconcileAnswer>

export const AdoptAnswer = shape('Adopted', {
  tunnel: TunnelView,
  interface_bounced: described(Never, 'The kernel is never touched.'),
  legacy: nullable(LegacyName),
  imported: described(Anything, 'What was read from the kernel, under the names of the record.'),
  units_taken_over: described(list(Text), 'Unit files that stood for the interface and are managed from now on.'),
  backups: described(
    list(strict({ path: Text, content: Text })),
    'Files as they were before they were rewritten or removed.',
  ),
  plan: PlanView,
  warnings: list(Warning),
})
export type AdoptAnswer = Static<typeof AdoptAnswer>

export const IgnoreAnswer = shape('Ignored', { ignored_interfaces: list(Text), ...sentence('note') })
export type IgnoreAnswer = Static<typeof IgnoreAnswer>

export const ForgetAnswer = shape('Forgotten', { forgotten: Always, tunnel: TunnelView, ...sentence('note') })
export type ForgetAnswer = Static<typeof ForgetAnswer>
