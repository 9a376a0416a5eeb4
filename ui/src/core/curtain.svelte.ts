// The curtain before the page while a change is under way that may cut the operator's own connection, and how that change ended.

/** Whom the change may cut off. */
export interface Branch {
  /** Where the browser comes from. */
  readonly address: string
  /** The interface that it comes through. */
  readonly name: string
}

export interface Hanging extends Branch {
  readonly since: Date
  /** Null: under way. */
  readonly end: 'applied' | 'rolled_back' | 'silent' | null
  /** What the API said of a change that it took back. */
  readonly said: string
}

/** A change that is over sooner is told like any other. */
const CURTAIN_MS = 300

class Curtain {
  hanging = $state.raw<Hanging | null>(null)
  #timer: ReturnType<typeof setTimeout> | undefined

  fall(branch: Branch): void {
    const since = new Date()
    this.#timer = setTimeout(() => (this.hanging = { ...branch, since, end: null, said: '' }), CURTAIN_MS)
  }

  end(end: NonNullable<Hanging['end']>, said = ''): void {
    clearTimeout(this.#timer)
    if (this.hanging) this.hanging = { ...this.hanging, end, said }
  }

  /** At once, whether it had fallen yet or not. */
  rise(): void {
    clearTimeout(this.#timer)
    this.hanging = null
  }
}

export const curtain = new Curtain()
