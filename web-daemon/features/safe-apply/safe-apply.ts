// Windows as the panel sees them: root alone decides how one ends, and the store follows (decisions.md, section 10).
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { SafeApplyEnded, SafeApplyItem, SafeApplyPending, SafeApplyWindow } from '@panel/shared/api/safe-apply.ts'
import type { HostEvent } from '@panel/shared/events/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { WindowFound, WindowStart } from '@panel/shared/window/model.ts'
import type { CommandContext, WriteDb } from '../../platform/context.ts'
import type { InStoreWindow, InWindow, Windowed } from '../../platform/http/confirm-within.ts'
import type { Answer, Session } from '../../platform/http/endpoint.ts'
import { readyRequest } from '../../platform/http/ready.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { Exclusive } from './exclusive.ts'
import { Named } from './named.ts'
import { changedItems, putAllBack } from './store-followed.ts'
import { deleteEndedBefore, findOpen, insertOpen, namesOf, markEnded, removeOpen, type Opener } from './store.ts'

export interface SafeApplyDeps extends Omit<CommandContext, 'note'> {
  readonly logger: Logger
  /** The tunnels whose far ends answer now. */
  readonly upTunnels: () => Promise<number[]>
  /** Writes what became of a window to the audit log, in the transaction in which the store follows. */
  readonly record: (db: WriteDb, ended: Pick<SafeApplyEnded, 'ended_how' | 'username' | 'items'>) => Promise<void>
}

export class SafeApply {
  readonly exclusive = new Exclusive()
  /** Commands that are meant for one window. */
  readonly named: Named
  readonly #deps: SafeApplyDeps
  #hasFollowed = false
  #isOpen = false
  #changes = 0
  /** When the window was opened; null where that was before this process. */
  #upBefore: readonly number[] | null = null
  /** When the window was last seen to have more in it; a connection made before that proves nothing. */
  #changedAt = 0
  #reported = '[null,null,null,null]'

  constructor(deps: SafeApplyDeps) {
    this.#deps = deps
    this.named = new Named(deps, () => this.follow())
  }

  /** Whether a window is open, or was taken back and the store has not followed yet. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** In milliseconds of performance.now(). */
  get changedAt(): number {
    return this.#changedAt
  }

  /** Events of root are hints: one may be lost, and the first after a connection says that some were. */
  onHostEvents(events: readonly HostEvent[]): void {
    if (!events.some(({ subject }) => subject === 'window' || subject === 'lost')) return
    void this.#deps
      .inTurn(() => this.follow())
      .catch((err: unknown) => this.#deps.logger.warn({ err }, 'safe apply: the root helper cannot be asked'))
  }

  /** Whether a page may confirm, and which tunnels speak against it. */
  async reach(): Promise<Pick<SafeApplyWindow, 'confirm_by' | 'tunnels_not_up'>> {
    const { settings, db, upTunnels } = this.#deps
    if (!this.#upBefore || this.exclusive.isUnderWay) return { confirm_by: 'operator', tunnels_not_up: [] }
    const up = new Set(await upTunnels())
    const tunnels_not_up = await namesOf(
      db,
      this.#upBefore.filter((id) => !up.has(id)),
    )
    return { confirm_by: settings.get('system.safe_apply_confirm_by'), tunnels_not_up }
  }

  /** Call it in turn. The record comes first: what changes from then on is known. */
  async open(seconds: number, by: Opener, starts: WindowStart = 'now', isWhole = false): Promise<WindowFound> {
    const { db, now, request } = this.#deps
    const window_id = randomBytes(16).toString('hex')
    this.#upBefore = await this.#deps.upTunnels()
    await db.transaction().execute((trx) => insertOpen(trx, window_id, by, now().toISOString(), isWhole))
    try {
      return await this.#note(await request('window.open', { window_id, seconds, starts }))
    } catch (failure) {
      // Root may have opened it all the same; whether it has shows when it answers again.
      if (!isHelperAway(failure)) await db.transaction().execute(removeOpen)
      throw failure
    }
  }

  /** Call it in turn, as with what follows. */
  async confirm(window_id: string): Promise<WindowFound> {
    await this.#deps.request('window.confirm', { window_id })
    return this.follow()
  }

  async cancel(window_id: string): Promise<WindowFound> {
    await this.#deps.request('window.cancel', { window_id })
    return this.follow()
  }

  async extend(window_id: string, seconds: number): Promise<WindowFound> {
    return this.#note(await this.#deps.request('window.extend', { window_id, seconds }))
  }

  /** Carries out a command, in a window of its own where it is to wait for a confirmation and none is open. */
  readonly during: InWindow = (request, work) => this.#beside(() => this.#during(request, work))

  /** The same of a command that changes the store alone. */
  readonly duringStore: InStoreWindow = (window_id, work) =>
    this.#beside(async () => {
      const answer = await (window_id === null ? work() : this.named.during(window_id, work))
      if (this.#isOpen) await this.#deps.inTurn(() => this.#startTime())
      return answer
    })

  /** What another process left in the middle is put back before anything joins it. */
  #beside<T>(work: () => Promise<T>): Promise<T> {
    const { db, inTurn } = this.#deps
    return this.exclusive.beside(async () => {
      if (!this.#hasFollowed && (await findOpen(db))) await inTurn(() => this.follow()).catch(unlessAway)
      return work()
    })
  }

  /** Root does not see a change of the store alone, which starts the time too. */
  async #startTime(): Promise<WindowFound> {
    const found = await this.follow()
    const { window } = found
    if (!window?.is_waiting || (await changedItems(this.#deps.db)).length === 0) return found
    return this.extend(window.window_id, window.seconds)
  }

  readonly #during: InWindow = async (request, work) => {
    const { inTurn } = this.#deps
    if (request.window_id !== null) return this.#answered(await this.named.during(request.window_id, work))
    const by = openerOf(request.session)
    const seconds = await this.#secondsFor(request)
    const opened = seconds === null ? null : await inTurn(() => this.#openUnlessOpen(seconds, by))
    try {
      return await this.#answered(await work())
    } catch (refused) {
      if (opened !== null) await inTurn(() => this.#closeIfEmpty(opened))
      throw refused
    }
  }

  async #secondsFor({ seconds, isRisky }: Windowed): Promise<number | null> {
    const { settings } = this.#deps
    const mode = settings.get('system.safe_apply_mode')
    if (seconds !== null || mode === 'off') return seconds
    return mode === 'always' || (await isRisky()) ? settings.get('system.safe_apply_seconds') : null
  }

  /** Null where there is an open one, which the command joins. */
  async #openUnlessOpen(seconds: number, by: Opener): Promise<string | null> {
    const { window } = await this.follow()
    if (window) return null
    return (await this.open(seconds, by)).window?.window_id ?? null
  }

  /** What was refused has left nothing to wait for. */
  async #closeIfEmpty(window_id: string): Promise<void> {
    const { window } = await this.follow()
    if (window?.window_id === window_id && window.changes === 0) await this.confirm(window_id)
  }

  async #answered(answer: Answer): Promise<Answer> {
    if (!this.#isOpen) return answer
    const { window } = await this.#deps.inTurn(() => this.#startTime())
    if (!window) return answer
    const { window_id, seconds_left, changes } = window
    const safe_apply: SafeApplyPending = {
      window_id,
      seconds_left,
      changes,
      confirm: readyRequest('POST /safe-apply/confirm', { window_id }),
      cancel: readyRequest('POST /safe-apply/cancel', { window_id }),
    }
    return { ...answer, body: { ...(answer.body as object), safe_apply }, isLast: true }
  }

  /** Call it in turn. Afterwards the store says of windows what root says. */
  async follow(): Promise<WindowFound> {
    const { db, request, now } = this.#deps
    const found = await request('window.probe', {})
    // What has ended is not forgotten meanwhile, so that root refuses the rest of the work.
    if (this.exclusive.isUndisturbed || (this.named.isUnderWay && !this.exclusive.isUnderWay)) return this.#note(found)
    const open = await findOpen(db)
    const isStillOpen = open !== null && found.window?.window_id === open.window_id
    if (isStillOpen && open.is_whole === 1 && found.window?.state === 'open') {
      this.#deps.logger.warn({ window_id: open.window_id }, 'safe apply: work that did not come to its end is put back')
      return this.cancel(open.window_id)
    }
    if (open && !isStillOpen) await this.#end(open.window_id, open.username, found)
    if (found.window && !isStillOpen) {
      const { window_id } = found.window
      const nobody = { user_id: null, username: '' }
      this.#upBefore = null
      await db.transaction().execute((trx) => insertOpen(trx, window_id, nobody, now().toISOString()))
    }
    if (!found.ended) return this.#note(found)
    return this.#note(await request('window.forget', { window_id: found.ended.window_id }))
  }

  /** A window that root knows nothing of any more was confirmed: any other end stays until it is forgotten. */
  async #end(window_id: string, username: string, { ended }: WindowFound): Promise<void> {
    const { db, now, settings, logger, publishIn } = this.#deps
    const ended_how = ended?.window_id === window_id ? ended.how : 'confirmed'
    const ended_date = now().toISOString()
    // As long as the entries of the audit log that tell of it.
    const keptMs = settings.get('system.audit_retention_days') * DAY_MS
    const items = await db.transaction().execute(async (trx) => {
      const changed = await changedItems(trx)
      await deleteEndedBefore(trx, new Date(Date.parse(ended_date) - keptMs).toISOString())
      if (ended_how === 'confirmed' && changed.length === 0) await removeOpen(trx)
      else await markEnded(trx, { window_id, ended_how, ended_date, items: changed })
      if (ended_how === 'confirmed') await trx.deleteFrom('safe_apply_row').execute()
      else await putAllBack(trx, ended_date)
      await this.#deps.record(trx, { ended_how, username, items: changed })
      await publishIn(trx, 'safe_apply.ended', [{ window_id, ended_how }])
      return changed
    })
    logger.info({ window_id, ended_how, items: items.length }, 'safe apply: a window has ended')
    if (ended_how === 'confirmed') return
    await settings.reload()
    this.#publish(items)
  }

  /** Only what differs from what was sent last: time that passes is for the reader to count. */
  #tell({ window, ended }: WindowFound, is_open: boolean): void {
    const { window_id, changes, state } = { ...window }
    const picture = JSON.stringify([window_id, changes, state, ended?.window_id])
    if (picture === this.#reported) return
    this.#reported = picture
    this.#deps.publish('safe_apply.changed', { is_open })
  }

  /** Publishes that the records are the earlier ones again, so that readers look again. */
  #publish(items: readonly SafeApplyItem[]): void {
    const { publish } = this.#deps
    const idsOf = (kind: SafeApplyItem['kind']): SafeApplyItem[] => items.filter((item) => item.kind === kind)
    for (const { target_id, title, what } of idsOf('tunnel'))
      if (target_id !== null) publish(TUNNEL_EVENT[what], { tunnel_id: target_id, interface_name: title })
    const route_rule_ids = idsOf('route').flatMap(({ target_id }) => target_id ?? [])
    if (route_rule_ids.length > 0) publish('routes.changed', { route_rule_ids })
  }

  async #note(found: WindowFound): Promise<WindowFound> {
    this.#hasFollowed = true
    const changes = found.window?.changes ?? 0
    const isOpen = found.window !== null || found.ended !== null
    if (changes !== this.#changes || isOpen !== this.#isOpen) this.#changedAt = performance.now()
    this.#changes = changes
    this.#isOpen = isOpen
    this.#tell(found, isOpen)
    return found
  }
}

const DAY_MS = 86_400_000

const unlessAway = (failure: unknown): void => {
  if (!isHelperAway(failure)) throw failure
}

export const openerOf = (session: Session | null): Opener => ({
  user_id: session?.user_id ?? null,
  username: session?.username ?? '',
})

type OpenWindow = NonNullable<WindowFound['window']>
export const underWay = ({ window_id, seconds_left }: OpenWindow): Refusal =>
  new Refusal('SAFE_APPLY_UNDER_WAY', message('safe_apply.under_way', { seconds: seconds_left }), {
    details: { window_id, seconds_left },
  })

/** What putting it back does to a tunnel that was changed so. */
const TUNNEL_EVENT = { created: 'tunnel.deleted', updated: 'tunnel.updated', deleted: 'tunnel.created' } as const
