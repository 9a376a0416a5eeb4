// The curtain before the page while a change is under way that may cut the operator's own connection, and how that change ended.

/** Whom the change may cut off. */
export interface OwnConnection {
  /** Where the browser comes from. */
  readonly address: string
  /** The interface that it comes through. */
  readonly name: string
}

export interface OverlayState extends OwnConnection {
  readonly since: Date
  /** Null: under way. */
  readonly end: 'applied' | 'rolled_back' | 'silent' | null
  /** What the API said of a change that it took back. */
  readonly message: string
}

/** A change that is over sooner is told like any other. */
const DELAY_MS = 300

class ConnectionOverlay {
  current = $state.raw<OverlayState | null>(null)
  #timer: ReturnType<typeof setTimeout> | undefined

  open(own: OwnConnection): void {
    const since = new Date()
    this.#timer = setTimeout(() => (this.current = { ...own, since, end: null, message: '' }), DELAY_MS)
  }

  end(end: NonNullable<OverlayState['end']>, message = ''): void {
    clearTimeout(this.#timer)
    if (this.current) this.current = { ...this.current, end, message }
  }

  /** At once, whether it had fallen yet or not. */
  close(): void {
    clearTimeout(this.#timer)
    this.current = null
  }
}

export const overlay = new ConnectionOverlay()
