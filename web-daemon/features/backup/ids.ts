// What the ids of a backup mean on this machine: an id of another one is never taken for one of here.

/** Of one kind of thing. */
export class Ids {
  readonly #here = new Map<number, number>()
  readonly #planned = new Set<number>()

  /** `own`: what the item is known by within the backup. `here` null: it is not there, or only will be (`isComing`), in a dry run. */
  learn(id_in_backup: number | undefined, here: number | null, isPlanned: boolean): void {
    if (id_in_backup === undefined) return
    if (here !== null) this.#here.set(id_in_backup, here)
    else if (isPlanned) this.#planned.add(id_in_backup)
  }

  /** Null where there is no such thing here. */
  here(id_in_backup: number | null | undefined): number | null {
    return typeof id_in_backup === 'number' ? (this.#here.get(id_in_backup) ?? null) : null
  }

  isPlanned(id_in_backup: number | null | undefined): boolean {
    return typeof id_in_backup === 'number' && this.#planned.has(id_in_backup)
  }
}
