// Reports to systemd that the daemon is ready, alive, or stopping (sd_notify(3)); does nothing without systemd.
import { watchdogPeriodMs } from '@panel/shared/host/watchdog.ts'
import { service } from './native/index.ts'

/** Call it once the daemon serves. A blocked event loop sends no keep-alive, so that the watchdog restarts it. */
export function notifyReady(status: string): void {
  service.sdNotify(`READY=1\nSTATUS=${status}`)
  const period = watchdogPeriodMs(process.env, process.pid)
  if (period !== null) setInterval(() => service.sdNotify('WATCHDOG=1'), period).unref()
}

export function notifyStopping(): void {
  service.sdNotify('STOPPING=1')
}
