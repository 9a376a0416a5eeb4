// The daemon while the panel cannot start: it stands in, looks again and again, and starts the panel once it can.
import type { Logger } from 'pino'
import type { HelperClient } from '../platform/helper/client.ts'
import { toBasePath } from '../platform/http/prefix.ts'
import { serverUrl } from '../platform/http/server.ts'
import { Sockets } from '../platform/http/sockets.ts'
import { notifyReady, notifyStopping } from '../platform/service-manager.ts'
import type { CertificateWatcher } from '../platform/tls/certificate-watcher.ts'
import type { Config } from './config.ts'
import type { Daemon } from './daemon.ts'
import type { Fault } from './fault.ts'
import type { Prepared } from './prepare.ts'
import { standInApp } from './stand-in.ts'

/** A lock that is released, a disk that has room, a helper that answers: nobody need restart the daemon for these. */
const AGAIN_MS = 5000
const DRAIN_MS = 1000

interface StandingInDeps {
  readonly config: Config
  readonly faults: readonly Fault[]
  readonly again: () => Promise<Prepared | readonly Fault[]>
  readonly start: (prepared: Prepared) => Promise<Daemon>
  readonly certificate: CertificateWatcher | null
  readonly helper: HelperClient
  readonly logger: Logger
}

export async function standIn(deps: StandingInDeps): Promise<Daemon> {
  const { config, certificate, helper, logger } = deps
  let faults = deps.faults
  const sockets = new Sockets({ trusted_proxies: config.trusted_proxies })
  sockets.serve({
    app: standInApp({ ...config, faults: () => faults, now: () => new Date() }),
    endStreams: () => undefined,
  })
  const place = { address: config.listen_address, port: config.listen_port }
  const opened = await sockets.open(place, certificate?.pair)
  const endRenewing = certificate?.watch((pair) => void sockets.renew(opened, pair))
  report(faults, logger)
  process.stdout.write(`The panel is at ${serverUrl(opened.server, toBasePath(config.web_path))}\n`)
  notifyReady(`cannot start: ${faults.map(({ reason }) => reason).join(', ')}`)

  const endServing = async (): Promise<void> => {
    endRenewing?.()
    await sockets.closeAll(DRAIN_MS)
  }
  let started: Daemon | null = null
  let isStopping = false
  const look = async (): Promise<void> => {
    const found = await deps.again()
    if (!('db' in found)) {
      if (reasons(found) !== reasons(faults)) report(found, logger)
      faults = found
      return wait()
    }
    if (isStopping) return found.db.destroy()
    logger.info('what kept the panel from starting is mended')
    await endServing()
    started = await deps.start(found)
  }
  let looking: Promise<void> = Promise.resolve()
  // A panel that cannot start for another reason ends the process, as it does at the first start.
  const wait = (): void => void (timer = setTimeout(() => void (looking = look()), AGAIN_MS))
  let timer: NodeJS.Timeout | null = null
  wait()

  const stop = async (signal: string): Promise<void> => {
    isStopping = true
    if (timer) clearTimeout(timer)
    await looking
    if (started) return started.stop(signal)
    notifyStopping()
    await endServing()
    helper.close()
  }
  let stopping: Promise<void> | null = null
  return { stop: (signal) => (stopping ??= stop(signal)) }
}

const reasons = (faults: readonly Fault[]): string => faults.map(({ reason }) => reason).join()

function report(faults: readonly Fault[], logger: Logger): void {
  for (const { component, reason, sentences, failure: err } of faults)
    logger.error(
      { component, reason, ...(err === undefined ? {} : { err }) },
      sentences.map((one) => one.message).join(' '),
    )
}
