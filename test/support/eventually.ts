// Waits for what must happen. How long it takes says how busy the machine is and nothing of the panel, so the limit is
// there for what never happens.
import { setTimeout as sleep } from 'node:timers/promises'

/** Within the limit that mocha has, so that the failure names what did not happen. */
export const NEVER_MS = 300_000

/** Resolves once it is so. `what` may say what is seen instead. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => string) = String(isSo),
  pause_ms = 20,
): Promise<void> {
  for (const end = performance.now() + NEVER_MS; !(await isSo()); await sleep(pause_ms))
    if (performance.now() > end) throw new Error(`It never happened: ${typeof what === 'string' ? what : what()}`)
}
