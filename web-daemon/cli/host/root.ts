// What only root does: it changes the configuration and the daemons of this host.
import { CommandError } from '../errors.ts'

export const isRoot = (): boolean => process.getuid?.() === 0

export function needsRoot(word: string): void {
  if (!isRoot()) throw new CommandError(`Run it as root: sudo tunnel-panel ${word}`, 3)
}
