// Notifications as long as the daemon runs: what they are about, and the outbox that sends them.
import type { Bus } from '../../platform/events/bus.ts'
import type { HostIncident } from '../../platform/health.ts'
import { Outbox, type OutboxDeps } from './outbox.ts'
import { listen } from './sources/listen.ts'
import { Incidents } from './sources/incidents.ts'
import { FailedSignIns, type SignInDeps } from './sources/sign-ins.ts'
import { allWebhooks } from './store.ts'
import { openSubjects } from './store-deliveries.ts'

const LOOK_EVERY_MS = 30_000

export interface NotificationDeps extends OutboxDeps, SignInDeps {
  readonly bus: Bus
}

export class Notifications {
  readonly outbox: Outbox
  readonly #deps: NotificationDeps
  readonly #incidents = new Incidents()
  readonly #signIns: FailedSignIns
  #endListening: (() => void) | null = null
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> = Promise.resolve()

  constructor(deps: NotificationDeps) {
    this.#deps = deps
    this.outbox = new Outbox(deps)
    this.#signIns = new FailedSignIns(deps)
  }

  /** How a test is sent, past the outbox. */
  get sending(): Pick<NotificationDeps, 'resolve' | 'box' | 'backupFile' | 'timeout_ms'> {
    return this.#deps
  }

  /** `readIncidents`: what is wrong with the host now. */
  start(readIncidents: () => Promise<readonly HostIncident[]>): void {
    this.#endListening = listen(this.#deps.bus, this.outbox, this.#signIns)
    this.#timer = setInterval(() => void this.look(readIncidents), LOOK_EVERY_MS)
    this.outbox.start()
  }

  async stop(): Promise<void> {
    this.#endListening?.()
    if (this.#timer) clearInterval(this.#timer)
    await this.#looking
    await this.outbox.stop()
  }

  /** Nothing is looked at for nobody. */
  look(readIncidents: () => Promise<readonly HostIncident[]>): Promise<void> {
    this.#looking = this.#looking
      .then(async () => {
        if ((await allWebhooks(this.#deps.db)).length === 0) return
        this.outbox.add(this.#incidents.notices(await readIncidents()))
        await this.#incidents.resume(() => openSubjects(this.#deps.db))
      })
      .catch((err: unknown) => this.#deps.logger.warn({ err }, 'it is not known what is wrong with the host'))
    return this.#looking
  }
}
