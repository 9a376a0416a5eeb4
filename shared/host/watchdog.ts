// How often a service reports that it is alive, so that the service manager restarts it when it hangs
// (sd_watchdog_enabled(3)).

/** Milliseconds between two reports, twice as often as required; null where this process is not supervised. */
export function watchdogPeriodMs(
  environment: Readonly<Record<string, string | undefined>>,
  pid: number,
): number | null {
  const { WATCHDOG_USEC: usec = '', WATCHDOG_PID: watched = `${pid}` } = environment
  return /^[1-9]\d{0,15}$/.test(usec) && watched === `${pid}` ? Math.max(1, Math.floor(Number(usec) / 2000)) : null
}
