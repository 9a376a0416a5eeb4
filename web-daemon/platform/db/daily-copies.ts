// Looks every hour whether the daily copy of the store is due, and says in health where none can be made.
import { Worker } from 'node:worker_threads'
import SQLite from 'better-sqlite3'
import type { Logger } from 'pino'
import { message } from '@panel/shared/messages/message.ts'
import { attemptCopy, COPY_WORKER, type CopyEnd, type CopyWork } from './copy-worker.ts'
import { isCopyDue, roomForCopy } from './daily-copy.ts'
import type { Store } from './store.ts'
import { storeTrouble } from './trouble.ts'

const LOOK_EVERY_MS = 60 * 60 * 1000
const MIB = 1024 * 1024
/** A thread does not load the sources, which are TypeScript. */
const CAN_BE_THREAD = !COPY_WORKER.endsWith('.ts')

export interface DailyCopiesDeps {
  readonly db: Store
  readonly now: () => Date
  readonly logger: Logger
  /** Before there is an account nothing is worth a copy, and one without an account would be a fresh panel. */
  readonly isWorthCopying: () => Promise<boolean>
}

/** Returns the function that ends it. */
export function keepDailyCopies(deps: DailyCopiesDeps): () => Promise<void> {
  let looking: Promise<void> = Promise.resolve()
  const look = (): void => void (looking = looking.then(() => copyIfDue(deps)))
  look()
  const hourly = setInterval(look, LOOK_EVERY_MS)
  return () => {
    clearInterval(hourly)
    return looking
  }
}

/** Never throws: what went wrong is in health, and the next look tries again. */
export async function copyIfDue({ db, now, logger, isWorthCopying }: DailyCopiesDeps): Promise<void> {
  try {
    if (!isCopyDue(db.path, now()) || db.state.trouble || !(await isWorthCopying())) return
    const { free, needed } = roomForCopy(db.path)
    if (free < needed) {
      const figures = { free: Math.floor(free / MIB), needed: Math.ceil(needed / MIB) }
      db.copyTrouble = message('panel.copy_no_room', figures)
      logger.warn({ store: db.path, ...figures }, db.copyTrouble.message)
      return
    }
    const code = CAN_BE_THREAD ? await copyInThread(db.path) : attemptCopy(db.path)
    const failure = code === '' ? null : new SQLite.SqliteError('the daily copy failed', code)
    // Damage is a trouble of the store itself.
    if (failure && storeTrouble(failure)?.reason === 'damaged') db.state.onFailure(failure)
    db.copyTrouble = failure && message('panel.copy_failed', { code })
    if (failure) logger.error({ store: db.path, code }, db.copyTrouble?.message)
    else logger.info({ store: db.path }, 'the daily copy of the store is made')
  } catch (err) {
    db.copyTrouble = message('panel.copy_failed', { code: 'ERROR' })
    logger.error({ err, store: db.path }, db.copyTrouble.message)
  }
}

const copyInThread = (daily_copy_of: string): Promise<CopyEnd> =>
  new Promise((resolve, reject) => {
    const workerData: CopyWork = { daily_copy_of }
    const worker = new Worker(COPY_WORKER, { workerData })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the thread of the copy ended with ${code}`)))
  })
