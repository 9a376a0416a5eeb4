// Imports a backup item by item; an item that fails is reported and the rest goes on (reference.md, POST
// /backup/import; decisions.md, B3 to B6).
import type { Logger } from 'pino'
import {
  IMPORTED_AS,
  type ImportAction,
  type ImportBackupAnswer,
  type ImportBackupBody,
  type ImportedAs,
} from '@panel/shared/api/backup.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message, type Message, sentences, messageFields } from '@panel/shared/messages/message.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { readingOnce } from '../../platform/helper/reading-once.ts'
import type { AllOrNothing } from '../../platform/http/confirm-within.ts'
import { ok, type Answer, type Endpoint, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { Running } from '../audit/part-request.ts'
import { foreseenInTurn } from '../routes/foresee-forwarding.ts'
import type { References } from '../settings/change.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { Ids } from './ids.ts'
import { importNetworks } from './networks.ts'
import { importPools } from './pools.ts'
import { isRight, readBackup, type Backup } from './read.ts'
import { importRoutes } from './routes.ts'
import { importPoolSetting, importSettings, namesAPool } from './settings.ts'
import { importTunnels } from './tunnels.ts'
import { makeImportWorker, makeDryRunWorker, type Worker } from './worker.ts'

export interface BackupServices {
  readonly endpoints: () => readonly Endpoint[]
  readonly references: References
  /** Throws unless it is the password of the operator whose request this is. */
  readonly confirmPassword: (db: ReadContext['db'], incoming: Incoming<unknown>, password: string) => Promise<void>
  readonly allOrNothing: AllOrNothing
  readonly logger: Logger
}

export function importBackup(services: BackupServices) {
  let isUnderWay = false
  return async (context: CommandContext, incoming: Incoming<ImportBackupBody>): Promise<Answer<ImportBackupAnswer>> => {
    context.note.target('backup', null)
    const { dry_run = false } = incoming.body
    const request = requestIn(services, context, incoming)
    const { backup, running } = request
    if (dry_run) {
      const worker = makeDryRunWorker(dryRunContext(context, backup), running)
      return ok(importAnswer({ dry_run, is_taken_back: false }, backup, await importAll(worker, context, request)))
    }
    if (isUnderWay) throw new Refusal('CONFLICT', message('backup.under_way'))
    isUnderWay = true
    try {
      const work = (): Promise<ImportAction[]> => importAll(makeImportWorker(context, running), context, request)
      const { actions, is_taken_back } = await importWhole(services, incoming, work)
      noteActions(context, actions, is_taken_back)
      return ok(importAnswer({ dry_run, is_taken_back }, backup, actions))
    } finally {
      isUnderWay = false
    }
  }
}

/** Imports all items or none: in a window of root, which holds everything that they change. */
async function importWhole(
  { allOrNothing }: BackupServices,
  { body, session }: Incoming<ImportBackupBody>,
  work: () => Promise<ImportAction[]>,
): Promise<{ actions: ImportAction[]; is_taken_back: boolean }> {
  if (body.is_atomic !== true) return { actions: await work(), is_taken_back: false }
  let actions: ImportAction[] = []
  const is_taken_back = await allOrNothing(session, {
    work: async () => {
      actions = await work()
      return actions.every(({ action }) => action !== 'failed')
    },
  })
  return { actions, is_taken_back }
}

function noteActions({ note }: CommandContext, actions: readonly ImportAction[], is_taken_back: boolean): void {
  for (const { action, kind, target, error } of actions)
    if (action !== 'skip') note.operation(`${action} ${kind} ${target}${error ? `: ${error.code}` : ''}`)
  if (is_taken_back) note.operation('Everything was put back')
}

/** Foresees an import like a dry run; what depends on items of the same backup is not foreseen. */
export const foreseeImport =
  (services: BackupServices) =>
  async (context: ReadContext, incoming: Incoming<ImportBackupBody>): Promise<Foreseen> => {
    const request = requestIn(services, context, incoming)
    const items: Foreseen[] = []
    const reader = dryRunContext(context, request.backup)
    const worker = makeDryRunWorker(reader, request.running, (foreseen) => items.push(foreseen))
    await importAll(worker, context, request)
    return foreseenInTurn(reader, items)
  }

function requestIn(
  services: BackupServices,
  context: ReadContext,
  incoming: Incoming<ImportBackupBody>,
): ImportRequest {
  const { body, problems } = incoming
  const { include_settings = true, include_networks = true, include_routes = true } = body
  const included = { settings: include_settings, networks: include_networks, routes: include_routes }
  const backup = problems.has('backup') ? null : readBackup(body.backup, included, problems)
  problems.throwIfAny()
  if (!backup) throw new Error('A backup without problems is missing')
  const { endpoints, references, logger } = services
  const running = { endpoints: endpoints(), incoming, accepts: false, logger }
  return { running, references, backup, body, confirm: () => confirm(services, context, incoming) }
}

/** A read-only context that already sees the settings of the backup. */
function dryRunContext(
  { db, request, now, api_path, settings }: ReadContext,
  { settings: given }: Backup,
): ReadContext {
  const imported = new Map(
    given
      .filter(isRight)
      .filter((one) => !namesAPool(one))
      .map(({ item }) => [item.key, item.value]),
  )
  const get: SettingsReader['get'] = (key) =>
    imported.has(key) ? (imported.get(key) as ReturnType<typeof settings.get<typeof key>>) : settings.get(key)
  return { db, request: readingOnce(request), now, api_path, settings: { get } }
}

interface ImportRequest {
  readonly running: Running
  readonly references: References
  readonly backup: Backup
  readonly body: ImportBackupBody
  readonly confirm: () => Promise<void>
}

/** Some settings guard the panel (settings/guarded.ts): a document from elsewhere changes them only if the operator says so. */
async function confirm(
  { confirmPassword }: BackupServices,
  { db }: ReadContext,
  incoming: Incoming<ImportBackupBody>,
): Promise<void> {
  const { current_password } = incoming.body
  if (current_password !== undefined) return confirmPassword(db, incoming, current_password)
  throw new Refusal('INVALID_CREDENTIALS', message('backup.confirm'), { field: 'current_password' })
}

/** Imports the items. Each, or each hundred rules, enters the change queue by itself; another change comes between. */
async function importAll(
  worker: Worker,
  context: ReadContext,
  { references, backup, body, confirm }: ImportRequest,
): Promise<ImportAction[]> {
  const { include_pools = true, include_tunnels = true, force = false } = body
  const [pools, tunnels] = [new Ids(), new Ids()]
  const batch = { references, db: context.db, confirm }
  const settings = await importSettings(worker, { ...batch, items: backup.settings.filter((one) => !namesAPool(one)) })
  const ofPools = await importPools(worker, context, { items: backup.pools, isIncluded: include_pools }, pools)
  const namingPools = backup.settings.filter(isRight).filter(namesAPool)
  const poolSettings = await importPoolSetting(worker, { ...batch, items: namingPools }, pools)
  const { actions: ofTunnels, planned } = await importTunnels(
    worker,
    context,
    { items: backup.tunnels, isIncluded: include_tunnels, force, pools },
    tunnels,
  )
  const networks = await importNetworks(worker, context, backup.networks, tunnels)
  const routes = await importRoutes(worker, context, { items: backup.routes ?? [], force, tunnels, planned })
  return [...settings, ...ofPools, ...poolSettings, ...ofTunnels, ...networks, ...routes]
}

const noteOf = ({ dry_run, is_taken_back }: Ended, hasRules: boolean): Message =>
  sentences(
    message(is_taken_back ? 'backup.taken_back' : dry_run ? 'backup.dry' : 'backup.done'),
    hasRules ? null : message('backup.no_rules'),
  )

type Ended = Pick<ImportBackupAnswer, 'dry_run' | 'is_taken_back'>

function importAnswer(ended: Ended, { routes }: Backup, actions: ImportAction[]): ImportBackupAnswer {
  const counts = Object.fromEntries(
    IMPORTED_AS.map((word) => [word, actions.filter(({ action }) => action === word).length]),
  ) as Record<ImportedAs, number>
  return { ...ended, actions, counts, ...messageFields('note', noteOf(ended, routes !== null)) }
}
