// Maps the ids of a backup to the ids on this host, so that an id of another host is never taken for one of here.

/** For one kind of item. */
export class Ids {
  readonly #here = new Map<number, number>()
  readonly #planned = new Set<number>()

  /** `here` null: the item is not on this host, or will be only after the import (`isPlanned`, in a dry run). */
  learn(id_in_backup: number | undefined, here: number | null, isPlanned: boolean): void {
    if (id_in_backup === undefined) return
    if (here !== null) this.#here.set(id_in_backup, here)
    else if (isPlanned) this.#planned.add(id_in_backup)
  }

  /** Null if there is no such item here. */
  here(id_in_backup: number | null | undefined): number | null {
    return typeof id_in_backup === 'number' ? (this.#here.get(id_in_backup) ?? null) : null
  }

  isPlanned(id_in_backup: number | null | undefined): boolean {
    return typeof id_in_backup === 'number' && this.#planned.has(id_in_backup)
  }
}
