// The daemon while the panel cannot start: it stands in, looks again and again, and starts the panel once it can.
import type { Logger } from 'pino'
import { inLanguage } from '../features/webhooks/language/texts.ts'
import type { Fault } from '../platform/health.ts'
import type { HelperClient } from '../platform/helper/client.ts'
import { toBasePath } from '../platform/http/prefix.ts'
import { serverUrl } from '../platform/http/server.ts'
import { Sockets } from '../platform/http/sockets.ts'
import { standInApp } from '../platform/http/stand-in.ts'
import { notifyReady, notifyStopping } from '../platform/service-manager.ts'
import type { CertificateWatcher } from '../platform/tls/certificate-watcher.ts'
import type { Config } from './config.ts'
import type { Prepared } from './prepare.ts'

/** A lock that is released, a disk that has room, a helper that answers: nobody need restart the daemon for these. */
const AGAIN_MS = 5000
const DRAIN_MS = 1000

export interface Daemon {
  /** Ends every part in order; one that fails is logged and the others still end. */
  readonly stop: (signal: string) => Promise<void>
}

interface StandingInDeps {
  readonly config: Config
  readonly faults: readonly Fault[]
  readonly again: () => Promise<Prepared | readonly Fault[]>
  readonly start: (prepared: Prepared) => Promise<Daemon>
  readonly certificate: CertificateWatcher | null
  readonly helper: HelperClient
  readonly logger: Logger
}

export class StandingIn implements Daemon {
  readonly #deps: StandingInDeps
  readonly #sockets: Sockets
  #faults: readonly Fault[]
  #endRenewing: () => void = () => undefined
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> = Promise.resolve()
  #started: Daemon | null = null
  #stopping: Promise<void> | null = null

  constructor(deps: StandingInDeps) {
    this.#deps = deps
    this.#faults = deps.faults
    this.#sockets = new Sockets({ trusted_proxies: deps.config.trusted_proxies })
  }

  async begin(): Promise<this> {
    const { config, certificate } = this.#deps
    const app = standInApp({ ...config, inLanguage, faults: () => this.#faults, now: () => new Date() })
    this.#sockets.serve({ app, endStreams: () => undefined })
    const place = { address: config.listen_address, port: config.listen_port }
    const opened = await this.#sockets.open(place, certificate?.pair)
    if (certificate) this.#endRenewing = certificate.watch((pair) => void this.#sockets.renew(opened, pair))
    this.#report()
    process.stdout.write(`The panel is at ${serverUrl(opened.server, toBasePath(config.web_path))}\n`)
    notifyReady(`cannot start: ${reasons(this.#faults)}`)
    this.#wait()
    return this
  }

  stop = (signal: string): Promise<void> => (this.#stopping ??= this.#stop(signal))

  async #stop(signal: string): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    await this.#looking
    if (this.#started) return this.#started.stop(signal)
    notifyStopping()
    await this.#endServing()
    this.#deps.helper.close()
  }

  async #endServing(): Promise<void> {
    this.#endRenewing()
    await this.#sockets.closeAll(DRAIN_MS)
  }

  /** A panel that cannot start for another reason ends the process, as it does at the first start. */
  #wait(): void {
    if (this.#stopping) return
    this.#timer = setTimeout(() => void (this.#looking = this.#look()), AGAIN_MS)
  }

  async #look(): Promise<void> {
    const found = await this.#deps.again()
    if (!('db' in found)) {
      const isNew = reasons(found) !== reasons(this.#faults)
      this.#faults = found
      if (isNew) this.#report()
      return this.#wait()
    }
    if (this.#stopping) return found.db.destroy()
    this.#deps.logger.info('what kept the panel from starting is mended')
    await this.#endServing()
    this.#started = await this.#deps.start(found)
  }

  #report(): void {
    for (const { component, reason, sentences, failure: err } of this.#faults)
      this.#deps.logger.error(
        { component, reason, ...(err === undefined ? {} : { err }) },
        sentences.map((one) => one.message).join(' '),
      )
  }
}

const reasons = (faults: readonly Fault[]): string => faults.map(({ reason }) => reason).join(', ')
