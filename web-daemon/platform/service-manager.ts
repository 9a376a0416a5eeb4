// What systemd is told of this daemon (sd_notify(3)): that it serves, that it is alive, that it ends. Without systemd nobody is told.
import { watchdogPeriodMs } from '@panel/shared/host/watchdog.ts'
import { service } from './native/index.ts'

/** Called once what was promised by being ready is there. A loop that hangs sends no sign of life, which is the point. */
export const notifyReady = (status: string): void => {
  service.sdNotify(`READY=1\nSTATUS=${status}`)
  const period = watchdogPeriodMs(process.env, process.pid)
  if (period !== null) setInterval(() => service.sdNotify('WATCHDOG=1'), period).unref()
}

export const notifyStopping = (): void => {
  service.sdNotify('STOPPING=1')
}
