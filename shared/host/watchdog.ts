// How often a service says that it is alive, so that the service manager starts it anew when it no longer can (sd_watchdog_enabled(3)).

/** Milliseconds between two signs of life, twice as often as asked for; null where nobody watches this very process. */
export function watchdogPeriodMs(
  environment: Readonly<Record<string, string | undefined>>,
  pid: number,
): number | null {
  const { WATCHDOG_USEC: usec = '', WATCHDOG_PID: watched = `${pid}` } = environment
  return /^[1-9]\d{0,15}$/.test(usec) && watched === `${pid}` ? Math.max(1, Math.floor(Number(usec) / 2000)) : null
}
