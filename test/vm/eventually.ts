// The waits of support/eventually.ts in the lab, whose machines boot and install meanwhile.
import * as waits from '../support/eventually.ts'

const PATIENCE = { pause_ms: 200, never_ms: 1_200_000 }

/** Resolves with what is seen once it holds. */
export function becomes<T>(
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean,
  what?: string | ((seen: T) => string),
): Promise<T> {
  return waits.becomes(look, holds, what, PATIENCE)
}

/** Resolves once it is so. */
export function eventually(isSo: () => boolean | Promise<boolean>, what?: string): Promise<void> {
  return waits.eventually(isSo, what, PATIENCE)
}
