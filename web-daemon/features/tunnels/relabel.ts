// Changes what people call a tunnel or write about it, in the store alone (decisions.md, T25).
import type { UpdateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { labelsAlone } from '@panel/shared/api/base/field-list.ts'
import { TUNNEL_FIELDS } from '@panel/shared/api/tunnels/fields.ts'
import { save } from '../../change/engine.ts'
import type { StoreContext } from '../../platform/context.ts'
import { automaticIn } from './draft/local-end.ts'
import type { UpdateRequest } from './draft/update.ts'
import type { TunnelRecord } from './record.ts'
import { tunnelRecords } from './resource.ts'
import { notObserved, tunnelView } from './view.ts'

/** Null if the request may change anything else, or has a problem, which is reported beside all others. */
export function labelsIn(stored: TunnelRecord, { body, problems }: UpdateRequest) {
  const is_local_endpoint_automatic = automaticIn(body) ?? stored.is_local_endpoint_automatic
  return problems.isEmpty ? labelsAlone(TUNNEL_FIELDS, stored, { ...body, is_local_endpoint_automatic }) : null
}

/** Call it inside `inTurn`. */
export async function relabel(
  context: StoreContext,
  stored: TunnelRecord,
  labels: NonNullable<ReturnType<typeof labelsIn>>,
): Promise<UpdateTunnelAnswer> {
  const wanted = { ...stored, ...labels, updated_date: context.now().toISOString() }
  const { tunnel_id, interface_name } = stored
  const record = await save(context, tunnelRecords(context), { id: tunnel_id, wanted })
  context.note.rename(stored.display_name, record.display_name)
  const nothing = { steps: [], rollback: [], files: [], verification: [], warnings: [] }
  const isKept = { requires_recreate: false, recreate_reasons: [], recreate_messages: [] }
  return {
    tunnel: tunnelView(record, notObserved()),
    plan: { operation: 'none', interface: interface_name, tunnel_id, ...nothing, ...isKept },
    verification: { ok: true, checks: [], failures: [], oper_state: '' },
    warnings: [],
  }
}
