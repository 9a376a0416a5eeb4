// What a backup holds, what an import can request, and its answer (reference.md, Backup document; decisions.md, B1 to
// B6).
import { message } from '../messages/message.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { ErrorEnvelope, sentence, Warning } from './base/errors.ts'
import { flag, maybe, ONCE_KEY, ranged, refusedWith } from './base/fields.ts'
import { CreateNetworkBody } from './networks/bodies.ts'
import { UpdatePoolBody } from './pools.ts'
import { CreateRouteBody } from './routes/bodies.ts'
import { countsOf, Flag, Id, Instant, list, oneOf, Sentence, shape, Text, described, Value } from './base/shapes.ts'
import { CreateTunnelBody } from './tunnels/bodies.ts'
import { FAR_ADDRESS, OWN_ADDRESS } from './tunnels/end-fields.ts'

export const BACKUP_VERSION = 1

/** A number that things within one backup know each other by; on the machine that it is brought to they get others. */
const own = (name: string, of: string) =>
  maybe(
    ranged(
      'integer',
      1,
      2 ** 53 - 1,
      'INVALID_VALUE',
      name,
      `What this ${of} is known by within the backup. It is given another id where it is imported.`,
    ),
  )

const { is_public_range: _measured, ...poolFields } = UpdatePoolBody.properties
export const BackupPool = strict({ address_pool_id: own('address_pool_id', 'pool'), ...poolFields })
export type BackupPool = Static<typeof BackupPool>

const {
  idempotency_key: _onceATunnel,
  i_understand_i_may_lose_access: _ofATunnel,
  ...tunnelFields
} = CreateTunnelBody.properties
/**
 * A tunnel, with the fields of the request that makes it. `address_pool_id` is that of a pool of the same backup;
 * addresses that are an empty list are none at all.
 */
export const BackupTunnel = strict({
  tunnel_id: own('tunnel_id', 'tunnel'),
  ...tunnelFields,
  local_endpoint: OWN_ADDRESS,
  remote_endpoint: FAR_ADDRESS,
})
export type BackupTunnel = Static<typeof BackupTunnel>

const {
  idempotency_key: _onceARule,
  i_understand_i_may_lose_access: _ofARule,
  ...routeFields
} = CreateRouteBody.properties
/** Likewise; `tunnel_id` is that of a tunnel of the same backup. */
export const BackupRoute = strict(routeFields)
export type BackupRoute = Static<typeof BackupRoute>

const {
  idempotency_key: _onceANetwork,
  i_understand_i_may_lose_access: _ofANetwork,
  ...networkFields
} = CreateNetworkBody.properties
/** Likewise; the `tunnel_id` of each path is that of a tunnel of the same backup. */
export const BackupNetwork = strict(networkFields)
export type BackupNetwork = Static<typeof BackupNetwork>

export const BackupSetting = strict({ key: Sentence, value: Value })
export type BackupSetting = Static<typeof BackupSetting>

export const BackupDocument = shape('Backup', {
  version: Type.Unsafe<typeof BACKUP_VERSION>({ type: 'integer', enum: [BACKUP_VERSION] }),
  exported_at: Instant,
  panel: strict({ version: Sentence, hostname: Text }),
  note: Text,
  settings: list(BackupSetting),
  pools: list(BackupPool),
  tunnels: list(BackupTunnel),
  networks: list(BackupNetwork),
  routes: Type.Optional(described(list(BackupRoute), 'Left out where the export leaves rules out.')),
})
export type BackupDocument = Static<typeof BackupDocument>

/** The members that a backup may have. */
export const BACKUP_MEMBERS = [
  'version',
  'exported_at',
  'panel',
  'note',
  'settings',
  'pools',
  'tunnels',
  'networks',
  'routes',
] as const

const section = (name: string) =>
  maybe(flag(name, `Whether the ${name.replace('include_', '')} of the backup are imported. Default true.`))

export const ImportBackupBody = shape('ImportBackupBody', {
  // Its items are held against their schemas one by one, so that one of 8 MiB that is wrong throughout costs no more
  // than its first hundred faults.
  backup: Type.Object(
    {},
    {
      additionalProperties: true,
      'x-secret': true,
      ...refusedWith(
        'INVALID_BACKUP',
        message('input.backup', { field: 'backup' }),
        'A backup as GET /backup/export answers it. Its settings may also be an object of values by key.',
      ),
    },
  ),
  dry_run: maybe(flag('dry_run', 'Only return what would be done, and do nothing. Default false.')),
  include_settings: section('include_settings'),
  include_pools: section('include_pools'),
  include_tunnels: section('include_tunnels'),
  include_networks: section('include_networks'),
  include_routes: section('include_routes'),
  force: maybe(
    flag(
      'force',
      'Create tunnels and rules as if each had been requested with force. It overrides what "force" does there, and no more.',
    ),
  ),
  is_atomic: maybe(
    flag('is_atomic', 'Put everything back where an item fails, on the host and in the store. Default false.'),
  ),
  current_password: maybe(
    Type.String({
      maxLength: 1024,
      'x-secret': true,
      description: "The operator's own, without which no setting security.* is imported that would change.",
    }),
  ),
  idempotency_key: ONCE_KEY,
})
export type ImportBackupBody = Static<typeof ImportBackupBody>

const Kind = oneOf(['setting', 'pool', 'tunnel', 'network', 'route'])
export type ImportKind = Static<typeof Kind>

/** What became of an item; with `would_` what would, in a dry run. */
export const IMPORTED_AS = ['create', 'update', 'skip', 'failed', 'would_create', 'would_update'] as const
export type ImportedAs = (typeof IMPORTED_AS)[number]

export const ImportAction = shape('ImportAction', {
  kind: Kind,
  target: described(Text, 'Key of a setting, range of a pool, interface of a tunnel, title of a network or a rule.'),
  action: oneOf(IMPORTED_AS),
  target_id: described(nullable(Id), 'Its id here; null where it does not exist, and of a setting.'),
  ...sentence('detail', 'The reason, in a sentence; "" where none is needed.'),
  error: described(
    nullable(ErrorEnvelope.properties.error),
    'Why it failed. In a dry run: what it would be refused for as things stand now. Its field is within the backup, or current_password.',
  ),
  warnings: list(Warning),
})
export type ImportAction = Static<typeof ImportAction>

export const ImportBackupAnswer = shape('BackupImported', {
  dry_run: Flag,
  is_taken_back: described(
    Flag,
    'Whether everything was put back, since it was to be imported whole and an item failed.',
  ),
  actions: described(
    list(ImportAction),
    'In the order in which they were done: settings, pools, tunnels, networks, routes.',
  ),
  counts: countsOf(IMPORTED_AS),
  ...sentence('note'),
})
export type ImportBackupAnswer = Static<typeof ImportBackupAnswer>
