// Makes encrypted backups by itself: looks now and then whether one is due and anything has changed, writes it to the
// directory and hands it to the targets of notifications that take backups.
import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { ReadDb, StoreContext } from '../../platform/context.ts'
import { errorMessage, Refusal } from '../../platform/http/refusal.ts'
import type { SecretBox } from '../../platform/secret-box.ts'
import { readDocument } from '../backup/export.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { allWebhooks, type Webhook } from '../webhooks/store.ts'
import { fileName, Folder, type FolderDeps } from './folder.ts'
import { isDue } from './interval.ts'
import { sealFile } from './sealed-file.ts'
import { storedElsewhere, storeEnd, type Stored } from './store.ts'

const LOOK_EVERY_MS = 10 * 60_000

export interface ElsewhereDeps {
  readonly context: Pick<StoreContext, 'db' | 'now' | 'settings'>
  /** Holds the passphrase. */
  readonly box: SecretBox
  readonly folder: FolderDeps
  readonly outbox: Pick<Outbox, 'write'>
  readonly logger: Logger
}

interface Wanted {
  readonly document: string
  readonly digest: string
  readonly passphrase: string
}

export class Elsewhere {
  readonly folder: Folder
  readonly #deps: ElsewhereDeps
  #timer: NodeJS.Timeout | null = null
  #working: Promise<unknown> = Promise.resolve()

  constructor(deps: ElsewhereDeps) {
    this.#deps = deps
    this.folder = new Folder(deps.folder)
  }

  get box(): SecretBox {
    return this.#deps.box
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS)
    void this.look()
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    await this.folder.stop()
    await this.#working.catch(() => undefined)
  }

  /** Makes a backup if one is due. Never throws: what went wrong is in the state, or in the log. */
  look(): Promise<void> {
    return this.#inTurn(async () => {
      const { db, now, settings } = this.#deps.context
      const stored = await storedElsewhere(db)
      if (!stored || !isDue(stored, settings.get('backup.interval'), now())) return
      await this.#attempt(stored, false)
    }).catch((err: unknown) => this.#deps.logger.error({ err }, 'it is not known whether a backup is due'))
  }

  /** Makes a backup now, whether anything has changed or not. Returns why it failed, or null. */
  run(): Promise<Message | null> {
    return this.#inTurn(async () => {
      const stored = await storedElsewhere(this.#deps.context.db)
      if (!stored) throw new Refusal('CONFLICT', message('backup.elsewhere_no_passphrase'))
      return this.#attempt(stored, true)
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#working.then(work, work)
    this.#working = done.catch(() => undefined)
    return done
  }

  async #attempt(stored: Stored, isManual: boolean): Promise<Message | null> {
    const { context, logger } = this.#deps
    const error = await this.#make(stored, isManual).catch((failure: unknown) => {
      if (!(failure instanceof Refusal)) logger.error({ err: failure }, 'a backup elsewhere could not be made')
      return errorMessage(failure)
    })
    if (error) logger.warn({ error: error.message }, 'backup elsewhere')
    if (error) await storeEnd(context.db, { tried_date: context.now().toISOString(), last_error: error })
    return error
  }

  async #make(stored: Stored, isManual: boolean): Promise<Message | null> {
    const { context, logger } = this.#deps
    const targets = await targetsOfBackups(context.db)
    const wanted = await this.#wanted(stored, targets)
    const at = context.now()
    if (!isManual && wanted.digest === stored.digest && (await this.#isThere(stored))) {
      await storeEnd(context.db, { tried_date: at.toISOString(), last_error: null })
      return null
    }
    const [name, text] = [fileName(at), await sealFile(wanted.document, wanted.passphrase)]
    const isToSend = targets.length > 0 && (isManual || wanted.digest !== stored.sent_digest)
    if (isToSend) await this.#send(name, text, wanted.digest)
    const error = context.settings.get('backup.to_directory') ? await this.#write(name, text) : null
    if (error) return error
    const date = at.toISOString()
    const end = { tried_date: date, succeeded_date: date, digest: wanted.digest, file_name: name, file: text }
    await storeEnd(context.db, { ...end, last_error: null })
    logger.info({ name, bytes: text.length, targets: isToSend ? targets.length : 0 }, 'backup elsewhere')
    return null
  }

  async #wanted({ passphrase: sealed }: Stored, targets: readonly Webhook[]): Promise<Wanted> {
    const { context, box } = this.#deps
    const isToDirectory = context.settings.get('backup.to_directory')
    if (!isToDirectory && targets.length === 0) throw new Refusal('CONFLICT', message('backup.elsewhere_nowhere'))
    const passphrase = box.open(sealed)?.toString()
    if (passphrase === undefined) throw new Refusal('CONFLICT', message('backup.elsewhere_unreadable'))
    const document = await readDocument(context)
    const { exported_at: _, ...lasting } = document
    const places = [isToDirectory ? this.folder.path : '', ...targets.map(({ webhook_id }) => webhook_id)]
    const digest = createHash('sha256')
      .update(JSON.stringify([lasting, places]))
      .digest('hex')
    return { document: JSON.stringify(document, null, 1), digest, passphrase }
  }

  /** A file that is gone from the directory is written again. */
  async #isThere({ file_name }: Stored): Promise<boolean> {
    if (!this.#deps.context.settings.get('backup.to_directory')) return true
    const { files } = await this.folder.look().catch(() => ({ files: [] }))
    return files.some(({ name }) => name === file_name)
  }

  async #write(name: string, text: string): Promise<Message | null> {
    try {
      await this.folder.write(name, text, this.#deps.context.settings.get('backup.kept'))
      return null
    } catch (failure) {
      const error = (failure as NodeJS.ErrnoException).code ?? String(failure)
      return message('backup.elsewhere_directory', { directory: this.folder.path, error })
    }
  }

  /** While the directory fails, the targets get each state once. */
  async #send(name: string, text: string, digest: string): Promise<void> {
    const { context, outbox } = this.#deps
    await context.db.transaction().execute(async (transaction) => {
      await storeEnd(transaction, { sent_digest: digest, file_name: name, file: text, last_error: null })
      await outbox.write(transaction, [
        {
          kind: 'backup',
          severity: 'info',
          level: 0,
          subject: { type: 'backup', id: null, name: '' },
          text: message('notice.backup', { name }),
        },
      ])
    })
  }
}

export const targetsOfBackups = async (db: ReadDb): Promise<Webhook[]> =>
  (await allWebhooks(db)).filter(({ is_enabled, events }) => is_enabled && events.includes('backup'))
