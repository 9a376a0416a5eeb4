// A backup import: check, dry run, result; the document survives every error.
import type { ImportBackupAnswer } from '@panel/shared/api/backup.ts'
import type { ImpactBody } from '@panel/shared/api/impact/impact.ts'
import { call, givePassword } from '../../core/api.ts'
import { Form } from '../../core/form.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { toApiError, ApiError } from '../../core/api-error.ts'
import { backupErrors, type BackupError } from './labels.ts'

export interface ImportRequest {
  document: string
  include_settings: boolean
  include_pools: boolean
  include_tunnels: boolean
  include_networks: boolean
  include_routes: boolean
  force: boolean
  is_atomic: boolean
  /** Empty: the settings that guard the panel are left as they are. */
  current_password: string
}

export const SECTIONS = [
  'include_settings',
  'include_pools',
  'include_tunnels',
  'include_networks',
  'include_routes',
] as const
const DEFAULTS: ImportRequest = {
  document: '',
  include_settings: true,
  include_pools: true,
  include_tunnels: true,
  include_networks: true,
  include_routes: true,
  force: false,
  is_atomic: false,
  current_password: '',
}

export class BackupImport {
  /** Errors inside the document, by location. */
  problems = $state.raw<readonly BackupError[]>([])
  result = $state.raw<ImportBackupAnswer | null>(null)
  isImporting = $state(false)
  /** The dry run and its request; another request needs another dry run. */
  #dryRun = $state.raw<{ of: string; answer: ImportBackupAnswer } | null>(null)
  /** Idempotency key, kept until an answer arrives. */
  #key = ''

  readonly form = new Form<ImportRequest>({
    values: DEFAULTS,
    check: ({ document }) =>
      document.trim() === ''
        ? { document: t('backup.missing') }
        : parse(document) === null
          ? { document: t('backup.no_json') }
          : {},
    send: async (request) => {
      this.problems = []
      this.result = null
      this.#dryRun = {
        of: JSON.stringify(request),
        answer: await this.#withBackupErrors(() => dryRun(request)),
      }
    },
  })
  readonly preview = $derived(this.#dryRun?.of === JSON.stringify(this.form.values) ? this.#dryRun.answer : null)
  readonly isUnfinished = $derived(this.form.values.document !== '' && this.result === null)

  /** What `apply` sends. */
  request(): ImpactBody {
    return { method: 'POST', path: '/backup/import', body: bodyOf($state.snapshot(this.form.values)) }
  }

  /** After a dry run of the same. */
  async apply(): Promise<void> {
    if (this.isImporting || !this.preview) return
    this.isImporting = true
    this.form.failure = null
    this.#key ||= formatKey(crypto.getRandomValues(new Uint32Array(4)))
    try {
      this.result = await this.#withBackupErrors(() =>
        send($state.snapshot(this.form.values), { dry_run: false, idempotency_key: this.#key }),
      )
      this.#key = ''
      this.#dryRun = null
      await invalidate('/settings', '/pools', '/tunnels', '/routes', '/networks', '/reconcile', '/monitor')
    } catch (thrown) {
      const error = toApiError(thrown)
      if (error.code !== 'NO_ANSWER') this.#key = ''
      this.form.setError(error)
    } finally {
      this.isImporting = false
    }
  }

  /** Reports errors inside the document at its field. */
  async #withBackupErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      const error = toApiError(thrown)
      this.problems = backupErrors(error)
      const [first] = this.problems
      if (!first) throw error
      throw new ApiError(error.status, {
        code: error.code,
        message: error.message,
        details: { fields: [{ ...first.message, field: 'document' }] },
      })
    }
  }
}

const parse = (document: string): object | null => {
  try {
    const value = JSON.parse(document) as object | null
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

// An invalid backup is sent too, so that the server explains the error.
const bodyOf = ({ document, current_password, ...options }: ImportRequest) => ({
  backup: parse(document) as object,
  ...options,
  ...(current_password !== '' && { current_password }),
})

const send = (
  request: ImportRequest,
  more: { dry_run: boolean; idempotency_key?: string },
): Promise<ImportBackupAnswer> => call('POST /backup/import', { body: { ...bodyOf(request), ...more } })

/** The settings that guard the panel may take the code of the second factor too; without it they are left out. */
const dryRun = async (request: ImportRequest): Promise<ImportBackupAnswer> => {
  const answer = await send(request, { dry_run: true })
  if (!answer.actions.some(({ error }) => error?.code === 'FRESH_PASSWORD_REQUIRED')) return answer
  return givePassword().then(
    () => send(request, { dry_run: true }),
    () => answer,
  )
}

const formatKey = (numbers: Uint32Array): string => [...numbers].map((number) => number.toString(36)).join('-')
