// The overlay during a change that may cut the operator's own connection, and how it ended.
import type { ApiMessage } from './message.ts'

/** The connection at risk. */
export interface OwnConnection {
  /** The browser's address. */
  readonly address: string
  /** The interface it arrives on. */
  readonly name: string
  /** The seconds after which the server puts the change back by itself; null where it stays. */
  readonly comes_back_within: number | null
}

export interface OverlayState extends OwnConnection {
  readonly since: Date
  /** Null: in progress. */
  readonly end: 'applied' | 'rolled_back' | 'silent' | null
  /** The API's reason for a rollback. */
  readonly message: ApiMessage | null
}

/** Shorter changes show no overlay. */
const DELAY_MS = 300

class ConnectionOverlay {
  current = $state.raw<OverlayState | null>(null)
  #timer: ReturnType<typeof setTimeout> | undefined

  open(own: OwnConnection): void {
    const since = new Date()
    this.#timer = setTimeout(() => (this.current = { ...own, since, end: null, message: null }), DELAY_MS)
  }

  end(end: NonNullable<OverlayState['end']>, message: ApiMessage | null = null): void {
    clearTimeout(this.#timer)
    if (this.current) this.current = { ...this.current, end, message }
  }

  /** Also cancels an overlay that is not shown yet. */
  close(): void {
    clearTimeout(this.#timer)
    this.current = null
  }
}

export const overlay = new ConnectionOverlay()
