// The window on the disk: what takes an unconfirmed change back although the helper was killed or the power was cut.
import { message } from '@panel/shared/messages/message.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { folded, unfolded, type Fold } from '@panel/shared/change/fold.ts'
import { WINDOW_ENDS, type WindowEnd } from '@panel/shared/window/model.ts'
import { readWritten, type StateFolder } from '../kernel/files/state-folder.ts'
import { RefusedError } from '../refused.ts'
import { PARTS } from './parts.ts'

export type Folds = Readonly<Record<string, Fold<unknown>>>

/** Times are milliseconds of CLOCK_MONOTONIC, which is one for all processes of a boot. */
export interface Held {
  readonly window_id: string
  readonly seconds: number
  readonly boot_id: string
  readonly deadline: number
  /** When the last change ended, or when the window was opened. */
  readonly changed: number
  readonly changes: number
  /** The time begins to run with the first change. */
  readonly is_waiting: boolean
  /** Null while it is open; otherwise why it is being taken back. */
  readonly how: WindowEnd | null
  readonly folds: Folds
}

/** `ended` is in seconds since 1970, for people: no decision depends on it. */
export interface Ended {
  readonly window_id: string
  readonly how: WindowEnd
  readonly ended: number
}

export const WINDOW_FILE = 'window.json'
export const ENDED_FILE = 'window-ended.json'
const FORMAT = 1
/** Root reads the file whole when it starts. */
const BYTES_MAX = 32 * 1024 * 1024

export class WindowRecord {
  readonly #folder: StateFolder
  /** The texts last written, after they were read back. */
  readonly #texts = new Map<string, { readonly fold: Fold<unknown>; readonly text: string }>()

  constructor(folder: StateFolder) {
    this.#folder = folder
  }

  /**
   * A window that has ended is over, whether or not its record could still be removed. Throws where a file is damaged.
   */
  read(): { held: Held | null; ended: Ended | null } {
    const ended = readWritten(this.#folder, ENDED_FILE, (text) => readEnded(JSON.parse(text)))
    const held = readWritten(this.#folder, WINDOW_FILE, (text) => readHeld(JSON.parse(text)))
    return { held: held && held.window_id === ended?.window_id ? null : held, ended }
  }

  /** On the disk, and read back as the next helper would read it, before it returns. */
  async write(held: Held): Promise<void> {
    const text = this.#format(held)
    if (text.length > BYTES_MAX) throw new RefusedError('irreversible', message('root.window_full'))
    await this.#folder.write(WINDOW_FILE, text)
    if (this.#folder.read(WINDOW_FILE) !== text) throw unlikeWritten()
  }

  #format({ folds, ...held }: Held): string {
    const nouns = Object.entries(folds).map(([noun, fold]) => `${JSON.stringify(noun)}:${this.#textOf(noun, fold)}`)
    return `${JSON.stringify({ format: FORMAT, ...held }).slice(0, -1)},"folds":{${nouns.join(',')}}}`
  }

  /** A window of many changes is written with each: what has not changed since is neither spelled nor read again. */
  #textOf(noun: string, fold: Fold<unknown>): string {
    const known = this.#texts.get(noun)
    if (known?.fold === fold) return known.text
    const fresh = new Map([...fold].filter(([key, change]) => known?.fold.get(key) !== change))
    const text = spell(noun, fresh)
    if (spell(noun, foldOf(noun, JSON.parse(text))) !== text) throw unlikeWritten()
    const whole = fresh.size === fold.size ? text : spell(noun, fold)
    this.#texts.set(noun, { fold, text: whole })
    return whole
  }

  async end(ended: Ended): Promise<void> {
    await this.#folder.write(ENDED_FILE, JSON.stringify({ format: FORMAT, ...ended }))
    await this.remove()
  }

  remove = (): Promise<void> => this.#folder.remove(WINDOW_FILE)

  forget = (): Promise<void> => this.#folder.remove(ENDED_FILE)
}

const spell = (noun: string, fold: Fold<unknown>): string => JSON.stringify(unfolded(fold, partsOf(noun)))

const unlikeWritten = (): RefusedError =>
  new RefusedError('irreversible', message('root.unlike_written', { file: WINDOW_FILE }))

type Written<T> = { readonly [K in keyof T]?: unknown } & { readonly format?: unknown }

function readHeld(value: unknown): Held {
  const { window_id, seconds, boot_id, deadline, changed, changes, is_waiting, how, folds } = ofFormat<Held>(value)
  const numbers = { seconds, deadline, changed, changes }
  const isWhole = typeof window_id === 'string' && typeof boot_id === 'string' && typeof folds === 'object' && folds
  if (!isWhole || !Object.values(numbers).every(Number.isSafeInteger) || (how !== null && !isEnd(how)))
    throw new Error('It holds no window')
  return {
    window_id,
    seconds: Number(seconds),
    boot_id,
    deadline: Number(deadline),
    changed: Number(changed),
    changes: Number(changes),
    is_waiting: is_waiting === true,
    how,
    folds: Object.fromEntries(Object.entries(folds).map(([noun, change]) => [noun, foldOf(noun, change)])),
  }
}

function foldOf(noun: string, change: unknown): Fold<unknown> {
  if (typeof change !== 'object' || !change || !('before' in change && 'after' in change))
    throw new Error('It holds no change')
  return folded(new Map(), change satisfies Change<unknown>, partsOf(noun))
}

function partsOf(noun: string) {
  const parts = PARTS[noun]
  if (!parts) throw new Error('It holds a change of something unknown')
  return parts
}

function readEnded(value: unknown): Ended {
  const { window_id, how, ended } = ofFormat<Ended>(value)
  if (typeof window_id !== 'string' || !isEnd(how) || typeof ended !== 'number')
    throw new Error('It holds no end of a window')
  return { window_id, how, ended }
}

function ofFormat<T>(value: unknown): Written<T> {
  const written = (value ?? {}) as Written<T>
  if (written.format !== FORMAT) throw new Error('It is of another format')
  return written
}

const isEnd = (value: unknown): value is WindowEnd => (WINDOW_ENDS as readonly unknown[]).includes(value)
