// The draft of a change: what creating would look at, run over the stored tunnel with the request laid over it (interface.md, PATCH /tunnels/{id}).
import type { Warning } from '@panel/shared/api/errors.ts'
import type { UpdateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { kindOfType } from '@panel/shared/api/lookups.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { isNone } from '../../../platform/http/standing-problems.ts'
import type { HostFacts } from '../facts.ts'
import { stateOf, type NewTunnel, type TunnelRecord } from '../record.ts'
import { stateToChange } from './before.ts'
import { draftParts, incomplete, recordOf } from './draft.ts'
import { FIELD_ORDER, sketchOf, type Asked, type Sketch } from './sketch.ts'

export interface UpdateDraft {
  readonly record: NewTunnel
  /** What the host holds, and what it shall hold. Both are the latter where the host has no part in the change. */
  readonly before: TunnelState | null
  readonly after: TunnelState
  readonly concernsHost: boolean
  readonly warnings: Warning[]
  readonly facts: HostFacts
}

export interface Wish {
  readonly body: UpdateTunnelBody
  /** As far as the schema found any. */
  readonly problems: Problems
  /** Where the operator said what this field of the tunnel says, if it was not there. */
  readonly spokenOf?: (field: string) => string
}

/** Throws 422 with all problems at once, but those that the stored tunnel has by itself: they are not the doing of this change. */
export async function draftUpdate(
  context: ReadContext,
  stored: TunnelRecord,
  { body, problems, spokenOf = (field) => field }: Wish,
): Promise<UpdateDraft> {
  const sketch = await sketchOf(context, { ...askedOf(stored), ...body }, problems, stored)
  const parts = draftParts(sketch)
  const known = standing(sketch, stored)
  const fresh = new Problems()
  for (const found of problems.all.filter(isNone(known.problems.all)))
    fresh.add(spokenOf(found.field), found.code, found.message, found.details)
  fresh.throwIfAny(FIELD_ORDER)
  if (!parts) throw incomplete()
  const record = overlaid(stored, body, recordOf(sketch, parts, context.now().toISOString()))
  const warnings = sketch.warnings
    .filter(isNone(known.warnings))
    .map((warning) => ({ ...warning, field: spokenOf(warning.field) }))
  const after = stateOf(record)
  const concernsHost = !sameState(stateOf(stored), after)
  const before = concernsHost ? await stateToChange(context.ask, stored.interface_name, after) : after
  return { record, before, after, concernsHost, warnings, facts: sketch.facts }
}

/** The stored tunnel as the request that would make it. Fields of a request bear the names of the record's. */
export function askedOf(stored: TunnelRecord): Asked {
  const fields = FIELD_ORDER.filter((field) => field in stored).map((field) => [
    field,
    stored[field as keyof TunnelRecord],
  ])
  const addresses = stored.addresses.map(({ address, peer_address, prefix_length, is_primary }) => ({
    address,
    peer_address,
    prefix_length,
    is_primary,
  }))
  return { ...(Object.fromEntries(fields) as Asked), addresses }
}

/** The same sketch without the request: what it finds was so before. */
function standing(sketch: Sketch, stored: TunnelRecord): Sketch {
  const alone: Sketch = {
    ...sketch,
    body: askedOf(stored),
    kind: kindOfType(stored.tunnel_type_id),
    problems: new Problems(),
    warnings: [],
  }
  draftParts(alone)
  return alone
}

/** A field that the request does not name keeps its value by construction. */
function overlaid(stored: TunnelRecord, body: UpdateTunnelBody, drafted: NewTunnel): NewTunnel {
  const { tunnel_id: _id, ...kept } = stored
  const named = Object.fromEntries(Object.entries(drafted).filter(([field]) => field in body)) as Partial<NewTunnel>
  const is_name_templated =
    drafted.interface_name === stored.interface_name ? stored.is_name_templated : drafted.is_name_templated
  return { ...kept, ...named, is_name_templated, updated_date: drafted.updated_date }
}
