// What a file says that the panel is to do, by names instead of ids (reference.md, Desired; decisions.md, section 14).
import { message } from '../messages/message.ts'
import { nullable, strict, Type, type Static, type TSchema } from '../schema.ts'
import {
  LOAD_BALANCE_MODES,
  NAT_MODES,
  PERSISTENCE_TYPES,
  ROUTE_PROTOCOLS,
  TUNNEL_SIDES,
  TUNNEL_TYPES,
} from './base/lookups.ts'
import { sentence } from './base/errors.ts'
import { flag, maybe, refusedWith } from './base/fields.ts'
import { Count, described, Flag, Id, Instant, list, oneOf, Sentence, shape, Text, Value } from './base/shapes.ts'
import { CreateNetworkBody } from './networks/bodies.ts'
import { NetworkPathBody } from './networks/fields.ts'
import { CreatePoolBody } from './pools.ts'
import { ObjectDifference, RestoreStep } from './revisions.ts'
import { CreateRouteBody } from './routes/bodies.ts'
import { CreateTunnelBody } from './tunnels/bodies.ts'

export const DESIRED_VERSION = 1

/** Words that stand for the numbers of a field, by the name that the field has in a file. */
export const WORDS = {
  tunnel_type: ['tunnel_type_id', TUNNEL_TYPES],
  tunnel_side: ['tunnel_side_id', TUNNEL_SIDES],
  persistence: ['persistence_type_id', PERSISTENCE_TYPES],
  protocol: ['route_protocol_id', ROUTE_PROTOCOLS],
  nat_mode: ['nat_mode_id', NAT_MODES],
  load_balance: ['load_balance_mode_id', LOAD_BALANCE_MODES],
} as const satisfies Readonly<Record<string, readonly [string, Readonly<Record<string, number>>]>>

const named = (of: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    ...refusedWith('INVALID_VALUE', message('desired.name', { of }), `Name of the ${of}.`),
  })

/** In any mixture of capitals. */
const wordFor = (field: keyof typeof WORDS) =>
  maybe(
    Type.String({
      pattern: `^(${Object.keys(WORDS[field][1]).map(anyCase).join('|')})$`,
      ...refusedWith(
        'INVALID_VALUE',
        message('desired.word', { field, words: Object.keys(WORDS[field][1]).join(', ') }),
        `In the place of ${WORDS[field][0]}: ${Object.keys(WORDS[field][1]).join(', ')}.`,
      ),
    }),
  )
const anyCase = (word: string): string =>
  word.replaceAll(/[A-Za-z]/g, (one) => `[${one.toUpperCase()}${one.toLowerCase()}]`)

const ofRequests = <P extends Record<string, TSchema>>(properties: P) => {
  const {
    idempotency_key: _once,
    i_understand_i_may_lose_access: _accepted,
    ...fields
  } = properties as P & { idempotency_key?: TSchema; i_understand_i_may_lose_access?: TSchema }
  return fields
}
const { address_pool_id: _pool, ...tunnelFields } = ofRequests(CreateTunnelBody.properties)
const { tunnel_id: _tunnel, ...routeFields } = ofRequests(CreateRouteBody.properties)
const { paths: _paths, ...networkFields } = ofRequests(CreateNetworkBody.properties)
const { tunnel_id: _path, ...pathFields } = NetworkPathBody.properties

const was = maybe(named('object as it was called, which is renamed'))

export const DesiredTunnel = strict({
  ...tunnelFields,
  interface_name: named('interface'),
  pool: maybe(nullable(named('pool'))),
  tunnel_type: wordFor('tunnel_type'),
  tunnel_side: wordFor('tunnel_side'),
  persistence: wordFor('persistence'),
  was,
})
export const DesiredRoute = strict({
  ...routeFields,
  route_rule_title: named('rule'),
  tunnel: maybe(nullable(named('tunnel'))),
  protocol: wordFor('protocol'),
  nat_mode: wordFor('nat_mode'),
  load_balance: wordFor('load_balance'),
  was,
})
export const DesiredNetwork = strict({
  ...networkFields,
  network_title: named('network'),
  paths: list(strict({ tunnel: named('tunnel'), ...pathFields })),
  was,
})
export const DesiredPool = strict({ ...CreatePoolBody.properties, was })

export const DesiredDocument = strict({
  version: Type.Unsafe<typeof DESIRED_VERSION>({
    type: 'integer',
    enum: [DESIRED_VERSION],
    ...refusedWith(
      'INVALID_VALUE',
      message('desired.version', { version: DESIRED_VERSION }),
      'Of the form of the file.',
    ),
  }),
  settings: maybe(described(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), 'Values by key.')),
  pools: maybe(list(DesiredPool)),
  tunnels: maybe(list(DesiredTunnel)),
  networks: maybe(list(DesiredNetwork)),
  routes: maybe(list(DesiredRoute)),
})
export type DesiredDocument = Static<typeof DesiredDocument>

const PRUNES = ['none', 'named', 'all'] as const
export const DesiredBody = shape('DesiredBody', {
  document: DesiredDocument,
  name: maybe(named('file, such as site.yaml')),
  prune: maybe(
    oneOf(PRUNES, {
      description:
        'What the file does not name. none: it stays. named: what an earlier file of this name made, and this one does not name, is deleted. all: everything else of its kinds is.',
    }),
  ),
  include_adopted: maybe(
    flag('include_adopted', 'Have prune delete adopted tunnels, too, which the panel has not made. Default false.'),
  ),
  dry_run: maybe(flag('dry_run', 'Only return what would be done, and do nothing. Default false.')),
  lock: maybe(
    flag(
      'lock',
      'Whether from now on this file alone changes its objects, until it is unlocked. Default: as it is. Takes a name.',
    ),
  ),
  base: maybe(
    described(
      Sentence,
      'The digest that the panel had when the file was made: 409 DESIRED_IS_STALE if it has another.',
    ),
  ),
  i_understand_i_may_lose_access: maybe(
    flag('i_understand_i_may_lose_access', 'Apply also what carries your own connection to the panel.'),
  ),
})
export type DesiredBody = Static<typeof DesiredBody>

export const DesiredAnswer = shape('DesiredApplied', {
  changed: described(Flag, 'Whether anything was changed, or would be.'),
  dry_run: Flag,
  digest: described(Sentence, 'Of everything that the panel is to do, as it is now.'),
  items: described(list(ObjectDifference), 'What differs from the file, field by field, before it is applied.'),
  steps: described(list(RestoreStep), 'The requests that lead to it, in their order.'),
  ...sentence('note'),
})
export type DesiredAnswer = Static<typeof DesiredAnswer>

export const DesiredFile = shape('DesiredFile', {
  name: Sentence,
  digest: described(Sentence, 'Of everything, right after it was applied.'),
  applied_date: Instant,
  user_id: nullable(Id),
  username: Text,
  is_locked: described(Flag, 'Whether its objects are changed by this file alone, until it is unlocked.'),
  object_count: Count,
  differs: described(list(ObjectDifference), 'What was changed of its objects since.'),
})
export type DesiredFile = Static<typeof DesiredFile>

export const ListDesiredAnswer = shape('DesiredFiles', {
  digest: described(Sentence, 'Of everything that the panel is to do now.'),
  files: list(DesiredFile),
})
export type ListDesiredAnswer = Static<typeof ListDesiredAnswer>

export const LockDesiredBody = shape('LockDesiredBody', {
  name: named('file, such as site.yaml'),
  is_locked: flag('is_locked', 'Whether its objects are changed by this file alone.'),
})
export type LockDesiredBody = Static<typeof LockDesiredBody>

export const DesiredExport = shape('DesiredExport', {
  digest: Sentence,
  document: described(Value, 'Applied, it changes nothing.'),
})
export type DesiredExport = Static<typeof DesiredExport>
