// What must be there before the panel is served: a store with an account and the signing key, or else a first start that
// root vouches for. An empty store beside anything of an earlier panel is a lost one, in which nobody may make an account.
import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import { message } from '@panel/shared/messages/message.ts'
import { keepSigningKey, KeyUnusableError, newSigningKey, readSigningKey } from '../features/auth/key.ts'
import { closeSetup, isSetupOpened } from '../features/auth/opened-setup.ts'
import { hasAccount } from '../features/auth/store.ts'
import { keepRevisions } from '../features/revisions/log.ts'
import { Settings } from '../features/settings/settings.ts'
import { newestCopyIfAny } from '../platform/db/check.ts'
import type { Store } from '../platform/db/store.ts'
import { Bus } from '../platform/events/bus.ts'
import type { HelperClient } from '../platform/helper/client.ts'
import { errorMessage, Refusal } from '../platform/http/refusal.ts'
import type { Fault } from '../platform/health.ts'
import { keyFault, lostStore, storeFault, unknownStart } from './fault.ts'
import { openStore } from './store.ts'

export interface PrepareDeps {
  readonly state_dir: string
  readonly request: HelperClient['request']
  readonly logger: Logger
}

export interface Prepared {
  readonly db: Store
  readonly bus: Bus
  readonly settings: Settings
  readonly signing_key: KeyObject
  /** Call it in the transaction that makes the first account; throws if setup is closed by now. */
  readonly onFirstAccount: () => void
}

/** The faults, if the panel cannot be served. */
export async function prepare(deps: PrepareDeps): Promise<Prepared | readonly Fault[]> {
  const { state_dir, logger } = deps
  const path = join(state_dir, 'panel.db')
  const key = findKey(join(state_dir, 'session.key'))
  const found = isAbsent(path) ? null : await openOrFault(path, logger)
  if (found && !('db' in found)) return [found, ...(key instanceof KeyUnusableError ? [keyFault(key)] : [])]
  if (found?.isSetUp)
    return key instanceof KeyUnusableError ? failed(found, keyFault(key)) : withAccount(deps, found, key)
  const isOpened = isSetupOpened(state_dir)
  const fault = isOpened ? null : await whyNoSetup(deps, path, key)
  if (fault) return failed(found, fault)
  if (key instanceof KeyUnusableError) return failed(found, keyFault(key))
  const opened = found ?? (await openOrFault(path, logger))
  return 'db' in opened ? withoutAccount(deps, opened, key, isOpened) : [opened]
}

interface Opened extends Pick<Prepared, 'db' | 'bus' | 'settings'> {
  readonly isSetUp: boolean
}

const openOrFault = async (path: string, logger: Logger): Promise<Opened | Fault> => {
  try {
    const db = await openStore(path)
    try {
      const bus = new Bus(logger)
      const settings = await Settings.open(db, bus.publish)
      return { db, bus, settings, isSetUp: await hasAccount(db) }
    } catch (failure) {
      await db.destroy()
      throw failure
    }
  } catch (failure) {
    return storeFault(path, failure)
  }
}

const failed = async (found: Opened | null, fault: Fault): Promise<Fault[]> => {
  await found?.db.destroy()
  return [fault]
}

/** The smallest page of SQLite: it takes a file with less for an empty one, and writes over it. */
const PAGE_MIN = 512

/** A folder or a link that leads nowhere is something to look at. */
const isAbsent = (path: string): boolean => {
  if (!lstatSync(path, { throwIfNoEntry: false })) return true
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size < PAGE_MIN
}

const findKey = (path: string): KeyObject | KeyUnusableError | null => {
  try {
    return readSigningKey(path)
  } catch (failure) {
    if (failure instanceof KeyUnusableError) return failure
    throw failure
  }
}

/** Null on a first start: no key, nothing that an earlier store has left, and nothing of ours in root's state. */
const whyNoSetup = async (
  { request }: PrepareDeps,
  path: string,
  key: KeyObject | KeyUnusableError | null,
): Promise<Fault | null> => {
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (key !== null || newestCopyIfAny(path) !== null || (isAbsent(path) && (wal?.size ?? 0) > 0))
    return lostStore(path, null)
  try {
    const { ours } = await request('host.probe', { parts: ['ours'] })
    if (!ours) return unknownStart(message('panel.helper_silent_host'))
    return ours.is_any ? lostStore(path, ours) : null
  } catch (failure) {
    return unknownStart(errorMessage(failure))
  }
}

const withAccount = async (
  { state_dir, logger }: PrepareDeps,
  opened: Opened,
  key: KeyObject | null,
): Promise<Prepared> => {
  await keepRevisions({ ...opened, now: () => new Date() })
  const path = join(state_dir, 'session.key')
  const signing_key = key ?? newSigningKey()
  if (!key) {
    keepSigningKey(path, signing_key)
    logger.warn({ path }, 'there was no signing key, so a new one is made: everyone signs in again')
  }
  // What root opened is not kept for the day on which the store is lost.
  closeSetup(state_dir)
  return { ...opened, signing_key, onFirstAccount: refuseAccount }
}

const withoutAccount = async (
  { state_dir }: PrepareDeps,
  opened: Opened,
  key: KeyObject | null,
  isOpened: boolean,
): Promise<Prepared> => {
  await keepRevisions({ ...opened, now: () => new Date() })
  const signing_key = key ?? newSigningKey()
  const onFirstAccount = (): void => {
    if (isOpened && !isSetupOpened(state_dir)) refuseAccount()
    if (!key) keepSigningKey(join(state_dir, 'session.key'), signing_key)
    closeSetup(state_dir)
  }
  return { ...opened, signing_key, onFirstAccount }
}

/** A panel that had an account when it started makes none, whatever has become of its store since. */
const refuseAccount = (): never => {
  throw new Refusal('SERVICE_UNAVAILABLE', message('panel.setup_closed'), { details: { reason: 'lost' } })
}
