// What an operator must confirm before it is done: what the link can take only by being made anew, and what T14 of decisions.md puts beside it.
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import { LET_GO } from '@panel/shared/tunnel/plan.ts'
import { planChange } from '@panel/shared/tunnel/plans.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { stateOf, type NewTunnel } from './record.ts'

/** Given to a link at its birth. */
const BORN_WITH = [
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

/** The link stays through these, and still they are nothing to change by a slip. */
const WEIGHTY = {
  tunnel_side_id: 'the link stays as it is, but the other end must be of the other side',
  persistence_type_id: 'the link stays as it is, but something else, or nothing, brings it back after a reboot',
} as const satisfies Partial<Record<keyof NewTunnel, string>>

/** But for a link that systemd-networkd lets go of. */
const weighty = (reasons: readonly string[]) =>
  reasons.includes(LET_GO)
    ? {
        ...WEIGHTY,
        persistence_type_id:
          'systemd-networkd takes from a link what it knows of when it lets go of it, so the link is made anew',
      }
    : WEIGHTY

/** Sentences, each beginning with the field it speaks of. Empty where everything is done in place. */
export function reasonsToConfirm(stored: NewTunnel, wanted: NewTunnel, change: Change<TunnelState>): string[] {
  const changed = (field: keyof NewTunnel): boolean => !sameState(stored[field], wanted[field])
  const asStored = planChange({ before: stateOf(stored), after: change.after }).recreate_reasons
  const reborn = asStored.length > 0 ? BORN_WITH.filter(changed) : []
  const drifted = planChange(change).recreate_reasons.filter((field) => !asStored.includes(field))
  return [
    ...reborn.map(
      (field) => `${field}: only a new link can have ${textOf(wanted[field])} in the place of ${textOf(stored[field])}`,
    ),
    ...Object.entries(weighty(asStored))
      .filter(([field]) => changed(field as keyof typeof WEIGHTY))
      .map(([field, why]) => `${field}: ${why}`),
    ...drifted.map((field) => `${field}: the link on this server is not as stored, and only a new one can be`),
  ]
}

const textOf = (value: unknown): string => (value === null ? 'none' : String(value))

/** 409 with the reasons (decisions.md, R21). */
export function demandConfirmation(interface_name: string, reasons: readonly string[], isConfirmed: boolean): void {
  if (reasons.length === 0 || isConfirmed) return
  throw new Refusal(
    'CONFIRM_RECREATE_REQUIRED',
    `${interface_name} cannot be changed so without your confirmation: ${reasons.join('; ')}.`,
    {
      field: 'confirm_recreate',
      details: { interface_name, reasons },
    },
  )
}
