// Waits for what must happen. How long it takes says how busy the machine is and nothing of the panel, so the limit is
// there for what never happens.
import { setTimeout as sleep } from 'node:timers/promises'

/** Within the limit that mocha has, so that the failure names what did not happen. */
export const NEVER_MS = 300_000

/** The longest time of a timer: what ends has not waited for it. */
export const FOREVER_MS = 2 ** 31 - 1

interface Patience {
  readonly pause_ms?: number
  readonly never_ms?: number
}

/** Resolves with what is seen once it holds. `what` says what is waited for, or what is seen instead. */
export async function becomes<T>(
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean,
  what: string | ((seen: T) => string) = String(holds),
  { pause_ms = 20, never_ms = NEVER_MS }: Patience = {},
): Promise<T> {
  for (const end = performance.now() + never_ms; ; await sleep(pause_ms)) {
    const seen = await look()
    if (holds(seen)) return seen
    if (performance.now() > end)
      throw new Error(
        `It never happened: ${typeof what === 'string' ? `${what}: ${JSON.stringify(seen)}` : what(seen)}`,
      )
  }
}

/** Resolves once it is so. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => string) = String(isSo),
  patience: Patience = {},
): Promise<void> {
  await becomes(isSo, Boolean, what, patience)
}
