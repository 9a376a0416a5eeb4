// What an operator must confirm first: what only a new link can have, and what decisions.md, T14 adds to that.
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import { LET_GO } from '@panel/shared/tunnel/plan.ts'
import { planChange } from '@panel/shared/tunnel/plans.ts'
import { message, type Message, type MessageId } from '@panel/shared/messages/message.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { stateOf, type NewTunnel } from './record.ts'

/** A link keeps these from its creation on. */
const FIXED_AT_CREATION = [
  'tunnel_type_id',
  'interface_name',
  'local_endpoint',
  'remote_endpoint',
  'bind_device',
  'ttl',
  'hop_limit',
  'tos',
  'traffic_class',
  'ikey',
  'okey',
  'has_input_checksum',
  'has_output_checksum',
  'has_input_sequence',
  'has_output_sequence',
  'is_path_mtu_discovery',
  'is_ignore_df',
  'encap_limit',
  'flow_label',
  'fwmark',
] as const satisfies readonly (keyof NewTunnel)[]

/** The link stays, and yet these are too important to change by mistake. */
const IMPORTANT = {
  tunnel_side_id: 'tunnel.confirm_side',
  persistence_type_id: 'tunnel.confirm_persistence',
} as const satisfies Partial<Record<keyof NewTunnel, MessageId>>

/** systemd-networkd takes a link down with it when it stops managing it. */
const importantFields = (reasons: readonly string[]) =>
  reasons.includes(LET_GO) ? ({ ...IMPORTANT, persistence_type_id: 'tunnel.confirm_let_go' } as const) : IMPORTANT

/** Sentences, each beginning with the field it is about. Empty where everything is done in place. */
export function reasonsToConfirm(stored: NewTunnel, wanted: NewTunnel, change: Change<TunnelState>): Message[] {
  const changed = (field: keyof NewTunnel): boolean => !sameState(stored[field], wanted[field])
  const asStored = planChange({ before: stateOf(stored), after: change.after }).recreate_reasons
  const fixed = asStored.length > 0 ? FIXED_AT_CREATION.filter(changed) : []
  const drifted = planChange(change).recreate_reasons.filter((field) => !asStored.includes(field))
  return [
    ...fixed.map((field) =>
      message('tunnel.confirm_fixed', { field, wanted: textOf(wanted[field]), stored: textOf(stored[field]) }),
    ),
    ...Object.entries(importantFields(asStored))
      .filter(([field]) => changed(field as keyof typeof IMPORTANT))
      .map(([field, why]) => message(why, { field })),
    ...drifted.map((field) => message('tunnel.confirm_drift', { field })),
  ]
}

const textOf = (value: unknown): string | Message => (value === null ? message('tunnel.nothing') : String(value))

/** 409 with the reasons (decisions.md, R21). */
export function demandConfirmation(interface_name: string, reasons: readonly Message[], isConfirmed: boolean): void {
  if (reasons.length === 0 || isConfirmed) return
  throw new Refusal(
    'CONFIRM_RECREATE_REQUIRED',
    message('tunnel.confirm', {
      name: interface_name,
      reasons: reasons.reduce((first, second) => message('tunnel.both', { first, second })),
    }),
    {
      field: 'confirm_recreate',
      details: { interface_name, reasons: reasons.map(({ message: reason }) => reason) },
    },
  )
}
