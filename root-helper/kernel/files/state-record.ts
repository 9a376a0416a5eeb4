// One value that the helper keeps in a file of its state folder.
import { verbatim } from '@panel/shared/messages/message.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { RefusedError } from '../../refused.ts'
import { damageOf, readWritten, type Damage, type StateFolder } from './state-folder.ts'

export interface Recorded<T> {
  readonly name: string
  /** What it means that the file is damaged. */
  readonly damage: Damage
  /** The value where there is no file, or a damaged one. */
  readonly nothing: T
  /** Throws where the text holds no such value. */
  readonly parse: (text: string) => T
}

export class StateRecord<T> {
  readonly #folder: StateFolder
  readonly #what: Recorded<T>
  #value: T | null = null

  constructor(folder: StateFolder, what: Recorded<T>) {
    this.#folder = folder
    this.#what = what
  }

  /** A damaged file is tried again each time, since the operator may have set it aside. */
  get value(): T {
    return this.#held().value
  }

  get trouble(): string | null {
    return this.#held().trouble
  }

  async write(value: T): Promise<void> {
    const { trouble } = this
    if (trouble !== null) throw new RefusedError('state_unusable', verbatim(trouble))
    if (sameState(value, this.value)) return
    await this.#folder.write(this.#what.name, JSON.stringify(value))
    this.#value = value
  }

  #held(): { readonly value: T; readonly trouble: string | null } {
    const { name, damage, nothing, parse } = this.#what
    try {
      this.#value ??= readWritten(this.#folder, name, parse) ?? nothing
      return { value: this.#value, trouble: null }
    } catch (error) {
      return { value: nothing, trouble: damageOf(damage, error) }
    }
  }
}
