// What the ids of a backup mean on this machine: an id of another one is never taken for one of here.

/** Of one kind of thing. */
export class Ids {
  readonly #here = new Map<number, number>()
  readonly #coming = new Set<number>()

  /** `own`: what the item is known by within the backup. `here` null: it is not there, or only will be (`isComing`), in a dry run. */
  learn(own: number | undefined, here: number | null, isComing: boolean): void {
    if (own === undefined) return
    if (here !== null) this.#here.set(own, here)
    else if (isComing) this.#coming.add(own)
  }

  /** Null where there is no such thing here. */
  here(own: number | null | undefined): number | null {
    return typeof own === 'number' ? (this.#here.get(own) ?? null) : null
  }

  isComing(own: number | null | undefined): boolean {
    return typeof own === 'number' && this.#coming.has(own)
  }
}
