// Reports to systemd that the daemon is ready, alive, or stopping (sd_notify(3)); does nothing without systemd.
import { watchdogPeriodMs } from '@panel/shared/host/watchdog.ts'
import { service } from './native/index.ts'

/** Call it once the daemon serves. A blocked event loop sends no keep-alive, so that the watchdog restarts it. */
export function notifyReady(status: string): void {
  service.sdNotify(`READY=1\nSTATUS=${status}`)
  keepAlive ??= startKeepAlive()
}

/** One for the process, which can become ready twice: with the page of a fault, and then with the panel. */
let keepAlive: NodeJS.Timeout | 'none' | null = null

function startKeepAlive(): NodeJS.Timeout | 'none' {
  const period = watchdogPeriodMs(process.env, process.pid)
  return period === null ? 'none' : setInterval(() => service.sdNotify('WATCHDOG=1'), period).unref()
}

export function notifyStopping(): void {
  service.sdNotify('STOPPING=1')
}
