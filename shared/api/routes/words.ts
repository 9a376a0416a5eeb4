// The words that several requests about relay rules share.
import { message } from '../../messages/message.ts'
import { Type } from '../../schema.ts'
import type { FieldCode } from '../base/codes.ts'
import { flag, maybe, orNull, ranged, refusedWith } from '../base/fields.ts'

export const port = (name: string, description: string) =>
  ranged('integer', 1, 65_535, 'INVALID_PORT', name, description)
export const rangeEnd = (name: string, description: string) =>
  maybe(orNull(ranged('integer', 1, 65_535, 'INVALID_PORT_RANGE', name, description)))
export const address = (code: FieldCode, name: string, description: string) =>
  Type.String({ minLength: 2, maxLength: 45, ...refusedWith(code, message('input.ip', { field: name }), description) })

export const DROP_CONNECTIONS = maybe(
  flag(
    'drop_connections',
    'Also end the connections that the rule relays now to where it relays no longer. Default false: they live on.',
  ),
)

export const FORCE = maybe(
  flag(
    'force',
    'Go on although a local process uses the port or a destination is this host itself. It never overrides what protects the panel and SSH.',
  ),
)
export const LOSE_ACCESS = maybe(
  flag(
    'i_understand_i_may_lose_access',
    'Accepted and without effect: no relay rule can take the port of the panel or of SSH.',
  ),
)

/** Fields of a request that changes a list of a rule. */
export const CHANGING = { force: FORCE, i_understand_i_may_lose_access: LOSE_ACCESS }
