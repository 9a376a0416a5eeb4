// What an operator must confirm first: what only a new link can have, what the far end has to follow at the same time,
// and what decisions.md, T14 adds to that.
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import { concernsFarEnd, FAR_END_FOLLOWS } from '@panel/shared/tunnel/in-place.ts'
import { valueOf } from '@panel/shared/tunnel/describe.ts'
import { LET_GO } from '@panel/shared/tunnel/plan.ts'
import { planChange } from '@panel/shared/tunnel/plans.ts'
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import { message, type Message, type MessageId } from '@panel/shared/messages/message.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { stateOf, type NewTunnel } from './record.ts'

/** A link keeps these from its creation on. */
const FIXED_AT_CREATION = ['tunnel_type_id', 'interface_name'] as const satisfies readonly (keyof NewTunnel)[]

/** The link stays, and yet these are too important to change by mistake. */
const IMPORTANT = {
  tunnel_side_id: 'tunnel.confirm_side',
  persistence_type_id: 'tunnel.confirm_persistence',
} as const satisfies Partial<Record<keyof NewTunnel, MessageId>>

/** Sentences, each beginning with the field that it is about. */
export interface ToConfirm {
  /** Why the link is recreated. */
  readonly recreates: readonly Message[]
  /** What is done in place, and needs a confirmation all the same. */
  readonly in_place: readonly Message[]
}

export function reasonsToConfirm(stored: NewTunnel, wanted: NewTunnel, change: Change<TunnelState>): ToConfirm {
  const changed = (field: keyof NewTunnel): boolean => !sameState(stored[field], wanted[field])
  const asStored = planChange({ before: stateOf(stored), after: change.after })
  const drifted = (fields: readonly string[], plan: readonly string[]) =>
    plan.filter((field) => !fields.includes(field))
  const { recreate_reasons, steps } = planChange(change)
  const isLetGo = asStored.recreate_reasons.includes(LET_GO)
  const values = (field: keyof NewTunnel) => ({ field, wanted: valueOf(wanted[field]), stored: valueOf(stored[field]) })
  return {
    recreates: [
      ...FIXED_AT_CREATION.filter(changed).map((field) => message('tunnel.confirm_fixed', values(field))),
      // systemd-networkd takes a link down with it when it stops managing it.
      ...(isLetGo ? [message('tunnel.confirm_let_go', { field: 'persistence_type_id' })] : []),
      ...drifted(asStored.recreate_reasons, recreate_reasons).map((field) =>
        message('tunnel.confirm_drift', { field }),
      ),
    ],
    in_place: [
      ...FAR_END_FOLLOWS.filter(changed).map((field) => message('tunnel.confirm_far_end', values(field))),
      ...(Object.keys(IMPORTANT) as (keyof typeof IMPORTANT)[])
        .filter((field) => changed(field) && !(isLetGo && field === 'persistence_type_id'))
        .map((field) => message(IMPORTANT[field], { field })),
      ...drifted(headerFields(asStored.steps), headerFields(steps)).map((field) =>
        message('tunnel.confirm_drift_far_end', { field }),
      ),
    ],
  }
}

const headerFields = (steps: readonly TunnelStep[]): string[] =>
  steps.flatMap((step) => (step.kind === 'link_set' ? step.fields.filter(concernsFarEnd) : []))

/** 409 with the reasons (decisions.md, R21). */
export function demandConfirmation(interface_name: string, toConfirm: ToConfirm, isConfirmed: boolean): void {
  const reasons = [...toConfirm.recreates, ...toConfirm.in_place]
  if (reasons.length === 0 || isConfirmed) return
  throw new Refusal(
    'CONFIRM_RECREATE_REQUIRED',
    message('tunnel.confirm', {
      name: interface_name,
      reasons: reasons.reduce((first, second) => message('tunnel.both', { first, second })),
    }),
    {
      field: 'confirm_recreate',
      details: {
        interface_name,
        reasons: reasons.map(({ message: reason }) => reason),
        requires_recreate: toConfirm.recreates.length > 0,
      },
    },
  )
}
