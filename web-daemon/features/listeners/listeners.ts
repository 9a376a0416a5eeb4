// Where the panel listens: as it is configured, or where the operator has kept it, and beside that one on trial. There
// is no moment without a way that has been used: the others close once the new one has been kept through itself.
import type { Logger } from 'pino'
import type { KeepListenerAnswer, ListenerView } from '@panel/shared/api/listeners.ts'
import { message } from '@panel/shared/messages/message.ts'
import { makeQueue } from '../../change/queue.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { Component, HostIncident } from '../../platform/health.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { notFound } from '../../platform/http/routes.ts'
import type { OpenSocket, Place, Sockets, Way } from '../../platform/http/sockets.ts'
import type { SecretBox } from '../../platform/secret-box.ts'
import type { CertificatePair } from '../../platform/tls/certificate.ts'
import { listenerComponent, listenerIncident } from './component.ts'
import type { ListenerDraft } from './draft.ts'
import { errnoOf } from './failure.ts'
import type { Listener } from './listener.ts'
import { openPair, sealPair } from './sealed-pair.ts'
import { isProvenBy, openOnTrial, openThere, partnerOf } from './sharing.ts'
import { forgetListener, hasListener, keepListener, keptListener } from './store.ts'
import { listenerView } from './view.ts'

/** A kept address may come later than the panel, as that of a tunnel does at boot. */
const RETRY_MS = 5000
const CHECK_MS = 1000

export interface ConfiguredListener extends Place {
  /** Absent: without TLS. */
  readonly pair?: () => CertificatePair
}

export interface ListenersDeps {
  readonly sockets: Pick<Sockets, 'all' | 'open' | 'close' | 'closeAll' | 'renew'>
  readonly db: StoreContext['db']
  /** Seals the key of a kept listener. */
  readonly keyBox: SecretBox
  readonly configured: ConfiguredListener
  readonly now: () => Date
  readonly monotonic: () => number
  readonly logger: Logger
  /** For the audit log: a trial went by itself. */
  readonly onExpired: (listener: Listener) => Promise<void>
}

export class Listeners {
  readonly #deps: ListenersDeps
  readonly #inTurn = makeQueue()
  #configured: Listener
  #kept: Listener | null = null
  #trial: Listener | null = null
  #lastId = 0
  #retryAt = 0
  #timer: NodeJS.Timeout | null = null

  constructor(deps: ListenersDeps) {
    this.#deps = deps
    this.#configured = { state: 'configured', listener_id: null, ...placeOf(deps.configured), ...CLOSED }
  }

  /** Opens the kept one, or else the configured one. Rejects where neither can be opened. */
  async start(): Promise<OpenSocket> {
    const stored = await keptListener(this.#deps.db, this.#deps.configured)
    if (stored) {
      this.#lastId = stored.listener_id
      this.#kept = { state: 'kept', ...stored, ...CLOSED }
      await this.#openKept()
    }
    const opened = this.#kept?.socket ?? (await this.#openConfigured())
    if (!stored) await this.#forgetOverruled()
    this.#watch()
    return opened
  }

  stop(drainMs?: number): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    return this.#deps.sockets.closeAll(drainMs)
  }

  get #all(): Listener[] {
    return [this.#configured, this.#kept, this.#trial].filter((one) => one !== null)
  }

  views(through: Way): ListenerView[] {
    return this.#all.map((one) => this.#view(one, through))
  }

  /** The ports of all listeners, closed ones included: the next start may open them. */
  ports(): number[] {
    return [...new Set(this.#all.map(({ port }) => port))].filter((port) => port > 0)
  }

  /** Those that clients are shown. */
  certificates(): (Pick<CertificatePair, 'valid_from' | 'valid_to'> & { readonly state: ListenerView['state'] })[] {
    return this.#all.flatMap(({ state, socket, pair }) =>
      socket && pair ? [{ state, valid_from: pair.valid_from, valid_to: pair.valid_to }] : [],
    )
  }

  component(): Component | null {
    return this.#kept && listenerComponent(this.#kept, this.#configured, this.#deps.now())
  }

  incident(): HostIncident | null {
    return this.#kept && listenerIncident(this.#kept, this.#deps.now())
  }

  renewConfigured(pair: CertificatePair): void {
    const { socket } = this.#configured
    if (!socket) return
    this.#configured = { ...this.#configured, pair }
    if (!partnerOf(this.#all, this.#configured)) this.#deps.sockets.renew(socket, pair)
  }

  tryOne({ address, port, pair, seconds }: ListenerDraft, through: Way): Promise<ListenerView> {
    return this.#inTurn(async () => {
      if (this.#trial) throw new Refusal('CONFLICT', message('listener.under_way', placeOf(this.#trial)))
      const until = this.#deps.monotonic() + seconds * 1000
      const opened = await openOnTrial(this.#deps.sockets, this.#all, { address, port }, pair)
      const listener_id = ++this.#lastId
      this.#trial = { state: 'trial', listener_id, ...placeOf(opened.socket), pair, ...opened, errno: '', until }
      this.#log('a listener is on trial', this.#trial)
      this.#watch()
      return this.#view(this.#trial, through)
    })
  }

  /** Throws 404 where none has the id. The configured one has none. */
  found(id: number): Listener {
    const one = [this.#kept, this.#trial].find((listener) => listener?.listener_id === id)
    if (!one) throw notFound()
    return one
  }

  /** Only through the listener itself, which shows that it can be reached. Repeating it changes nothing. */
  keep(id: number, through: Way): Promise<KeepListenerAnswer> {
    return this.#inTurn(async () => {
      const one = this.found(id)
      const unproven = one.shown_since === null ? 'listener.other_connection' : 'listener.earlier_connection'
      if (!isProvenBy(one, through)) throw new Refusal('SAFE_APPLY_SAME_CONNECTION', message(unproven, placeOf(one)))
      const closed = one === this.#trial ? await this.#keepTrial(one, id) : []
      return { listener: this.#view(this.#kept ?? one, through), closed }
    })
  }

  /** The kept one only while the configured one is open, as it is when the kept one could not be opened. */
  remove(id: number): Promise<Listener> {
    return this.#inTurn(async () => {
      const one = this.found(id)
      if (one === this.#kept) {
        if (!this.#configured.socket) throw new Refusal('SAFE_APPLY_SAME_CONNECTION', message('listener.only_way'))
        await forgetListener(this.#deps.db)
        this.#kept = null
      } else this.#trial = null
      this.#close(one)
      this.#log('a listener was ended', one)
      this.#watch()
      return one
    })
  }

  /** Ends a trial whose time is over, and tries again to open a kept one that could not be opened. */
  check(): Promise<void> {
    return this.#inTurn(async () => {
      const now = this.#deps.monotonic()
      const trial = this.#trial
      if (trial && now >= trial.until) {
        this.#trial = null
        this.#close(trial)
        this.#log('a listener on trial was not kept in time, and is closed', trial)
        await this.#deps.onExpired(trial)
      }
      if (this.#kept && !this.#kept.socket && now >= this.#retryAt) await this.#openKept()
      if (this.#kept?.socket && this.#configured.socket) this.#close(this.#configured)
      this.#watch()
    })
  }

  /** A new configuration has taken its place for good, and has shown that it can be opened. */
  async #forgetOverruled(): Promise<void> {
    const { db, logger } = this.#deps
    if (!(await hasListener(db))) return
    await forgetListener(db).catch((err: unknown) =>
      logger.error({ err }, 'the listener of before cannot be forgotten'),
    )
  }

  async #openConfigured(): Promise<OpenSocket> {
    const { configured, sockets } = this.#deps
    const pair = configured.pair?.() ?? null
    const socket = await sockets.open(configured, pair ?? undefined)
    this.#configured = { ...this.#configured, ...placeOf(socket), pair, socket }
    return socket
  }

  async #openKept(): Promise<void> {
    const kept = this.#kept
    if (!kept) return
    try {
      const pair = kept.tls ? openPair(this.#deps.keyBox, kept.tls) : null
      const there = openThere(this.#all, kept, pair, 'configured')?.socket
      const socket = there ?? (await this.#deps.sockets.open(kept, pair ?? undefined))
      this.#kept = { ...kept, pair, socket, errno: '' }
      this.#log('the panel listens where the operator has kept it', kept)
    } catch (failure) {
      const errno = errnoOf(failure) || 'unusable certificate'
      if (errno !== kept.errno)
        this.#deps.logger.warn(
          { ...placeOf(kept), errno, configured: placeOf(this.#deps.configured) },
          'the panel cannot listen where the operator has kept it, so it listens where it is configured',
        )
      this.#kept = { ...kept, errno }
      this.#retryAt = this.#deps.monotonic() + RETRY_MS
    }
  }

  async #keepTrial(trial: Listener, listener_id: number): Promise<Place[]> {
    const { db, keyBox, configured, now } = this.#deps
    const tls = trial.pair && sealPair(keyBox, trial.pair)
    await keepListener(db, { ...placeOf(trial), listener_id, tls }, configured, now())
    const others = [this.#configured, this.#kept].filter((one) => one?.socket) as Listener[]
    const closed = others.filter(({ socket }) => socket !== trial.socket).map(placeOf)
    for (const other of others) this.#close(other)
    this.#kept = { ...trial, state: 'kept', shown_since: null }
    this.#trial = null
    this.#log('the operator has kept a listener, and the others close', trial)
    this.#watch()
    return closed
  }

  /** Nobody waits for it: an answer that is under way may take its time. A socket of two is the other's from now on. */
  #close(one: Listener): void {
    const { socket } = one
    const { sockets, logger } = this.#deps
    const partner = socket && partnerOf(this.#all, one)
    if (one === this.#configured) this.#configured = { ...one, socket: null }
    if (!socket) return
    if (!partner) sockets.close(socket).catch((err: unknown) => logger.error({ err }, 'a listener did not end cleanly'))
    else if (partner.pair) sockets.renew(socket, partner.pair)
  }

  #view(one: Listener, through: Way): ListenerView {
    return listenerView(one, through, this.#deps.monotonic(), one.socket && partnerOf(this.#all, one))
  }

  #log(what: string, one: Listener): void {
    this.#deps.logger.info({ listener_id: one.listener_id, ...placeOf(one) }, what)
  }

  /** Looks every second, as long as there is something to look at. */
  #watch(): void {
    const isNeeded = this.#trial !== null || (this.#kept !== null && !this.#kept.socket)
    if (isNeeded === (this.#timer !== null)) return
    if (this.#timer) clearInterval(this.#timer)
    const look = (): void =>
      void this.check().catch((err: unknown) => this.#deps.logger.error({ err }, 'the listeners cannot be checked'))
    this.#timer = isNeeded ? setInterval(look, CHECK_MS).unref() : null
  }
}

const CLOSED = { pair: null, socket: null, errno: '', until: 0, shown_since: null } as const

const placeOf = ({ address, port }: Place): Place => ({ address, port })
