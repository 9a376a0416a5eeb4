// What the lab needs of a machine, whichever way it runs: emulated by QEMU with Debian's own kernel, or as a user-mode
// Linux, which is several times as fast. Neither can outlive the process that started it.
import type { NetConnectOpts } from 'node:net'

export type Kind = 'user-mode' | 'emulated'
export type Card = 'web' | 'control'

/** The machine's address on each card; the host's, or QEMU's, end of the /24 around it is the .2. */
export const addressOf: Record<Card, string> = { web: '10.0.2.15', control: '10.0.3.15' }

const consoleTailLength = 4000

/** The end of a console's output, with new data. */
export function consoleTail(before: string, data: Buffer): string {
  return (before + data.toString()).slice(-consoleTailLength)
}

export interface Machine {
  /** The end of its console's output. */
  readonly console: string
  /** Throws when it has ended or crashed. */
  mustRun(): Promise<void>
  /** Makes a TCP port of the machine reachable from the host; returns where. */
  forward(card: Card, port: number): Promise<NetConnectOpts>
  /** The power switch held and pressed again: what was not synced is lost. */
  reset(): Promise<void>
  /** Whether the machine may start again when it resets. By default that ends it, as a crash. */
  setReboots(reboots: boolean): Promise<void>
  stop(): Promise<void>
}
