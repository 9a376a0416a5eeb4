// An import from the first look to the last item: what is wrong in the document, what would be done, what was done; whatever fails, the document stays.
import type { ImportBackupAnswer } from '@panel/shared/api/backup.ts'
import { call } from '../../core/api.ts'
import { Form } from '../../core/form.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { toApiError, ApiError } from '../../core/api-error.ts'
import { faultsOf, type Fault } from './words.ts'

export interface Wish {
  document: string
  include_settings: boolean
  include_pools: boolean
  include_tunnels: boolean
  include_routes: boolean
  force: boolean
}

export const SECTIONS = ['include_settings', 'include_pools', 'include_tunnels', 'include_routes'] as const
const UNWISHED: Wish = {
  document: '',
  include_settings: true,
  include_pools: true,
  include_tunnels: true,
  include_routes: true,
  force: false,
}

export class Importing {
  /** What the API finds wrong inside the document, each at its place. */
  faults = $state.raw<readonly Fault[]>([])
  result = $state.raw<ImportBackupAnswer | null>(null)
  isImporting = $state(false)
  /** The dry run, and what it was of: another document or another wish has to be looked at anew. */
  #looked = $state.raw<{ of: string; answer: ImportBackupAnswer } | null>(null)
  /** The same word until it was answered: an import whose answer got lost is not done twice. */
  #word = ''

  readonly form = new Form<Wish>({
    values: UNWISHED,
    check: ({ document }) =>
      document.trim() === ''
        ? { document: t('backup.missing') }
        : read(document) === null
          ? { document: t('backup.no_json') }
          : {},
    send: async (wish) => {
      this.faults = []
      this.result = null
      this.#looked = { of: JSON.stringify(wish), answer: await this.#guarded(() => ask(wish, { dry_run: true })) }
    },
  })
  readonly preview = $derived(this.#looked?.of === JSON.stringify(this.form.values) ? this.#looked.answer : null)
  readonly isUnfinished = $derived(this.form.values.document !== '' && this.result === null)

  /** After a dry run of the same. */
  async carryOut(): Promise<void> {
    if (this.isImporting || !this.preview) return
    this.isImporting = true
    this.form.failure = null
    this.#word ||= wordOf(crypto.getRandomValues(new Uint32Array(4)))
    try {
      this.result = await this.#guarded(() =>
        ask($state.snapshot(this.form.values), { dry_run: false, idempotency_key: this.#word }),
      )
      this.#word = ''
      this.#looked = null
      await invalidate('/settings', '/pools', '/tunnels', '/routes', '/reconcile', '/monitor')
    } catch (thrown) {
      const refused = toApiError(thrown)
      if (refused.code !== 'NO_ANSWER') this.#word = ''
      this.form.setError(refused)
    } finally {
      this.isImporting = false
    }
  }

  /** What is wrong inside the document is said at the document. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      const refused = toApiError(thrown)
      this.faults = faultsOf(refused)
      const [first] = this.faults
      if (!first) throw refused
      throw new ApiError(refused.status, {
        code: refused.code,
        message: refused.message,
        details: { fields: [{ field: 'document', message: first.message }] },
      })
    }
  }
}

const read = (document: string): object | null => {
  try {
    const value = JSON.parse(document) as object | null
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

const ask = (
  { document, ...options }: Wish,
  more: { dry_run: boolean; idempotency_key?: string },
): Promise<ImportBackupAnswer> =>
  // What is no backup goes too, so that the panel says what is wrong with it.
  call('POST /backup/import', { body: { backup: read(document) as object, ...options, ...more } })

const wordOf = (numbers: Uint32Array): string => [...numbers].map((number) => number.toString(36)).join('-')
