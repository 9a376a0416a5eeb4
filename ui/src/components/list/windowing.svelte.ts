// Which rows of a long table are drawn: those in view and some around them, by the heights of those drawn before.
import { tick, untrack } from 'svelte'
import type { Attachment } from 'svelte/attachments'

/** More rows than this are windowed. */
const DRAWN_WHOLE = 100
const MARGIN = 8
const BEFORE_MARGIN_MS = 100
const START_HEIGHT = 24

export class Windowing {
  /** Visible rows; a typical screen until they are measured. */
  #from = $state(0)
  #to = $state(30)
  /** The heights of rows by their places; a row that was not drawn yet is taken to be as high as those are on average. */
  #heights = $state.raw<readonly number[]>([])
  readonly #mean = $derived.by(() => {
    const known = this.#heights.filter(Boolean)
    return known.length === 0 ? START_HEIGHT : known.reduce((sum, height) => sum + height, 0) / known.length
  })
  readonly #count: () => number
  readonly #restart: () => unknown
  readonly isOn = $derived.by(() => this.#count() > DRAWN_WHOLE)
  /** Rows beyond the view are drawn early, except while the search or order is changing. */
  #margin = $derived.by(() => (this.#restart(), 0))
  readonly first = $derived.by(() => Math.max(0, Math.min(this.#from, this.#count() - MARGIN) - this.#margin))
  readonly last = $derived.by(() => Math.min(this.#count(), this.#to + this.#margin))
  readonly above = $derived(this.isOn ? this.#between(0, this.first) : 0)
  readonly below = $derived.by(() => (this.isOn ? this.#between(this.last, this.#count()) : 0))

  /** In a component's script. What `restart` reads starts a new search. */
  constructor(count: () => number, restart: () => unknown) {
    this.#count = count
    this.#restart = restart
    $effect(() => {
      if (this.#margin > 0) return
      const timer = setTimeout(() => (this.#margin = MARGIN), BEFORE_MARGIN_MS)
      return () => clearTimeout(timer)
    })
  }

  /** Follows the body of the table. */
  readonly follow: Attachment<HTMLElement> = (body) => {
    /** What it draws can be lower than was thought, and leave room for more. */
    const look = (): void => {
      this.#measure(body)
      void tick().then(() => this.#measure(body))
    }
    // What it measures must not start it again: rows of different heights would never come to rest.
    $effect(() => {
      void [this.#restart(), this.#count()]
      untrack(() => {
        this.#heights = []
        look()
      })
    })
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }

  #heightOf(at: number): number {
    return this.#heights[at] ?? this.#mean
  }

  #between(from: number, to: number): number {
    let sum = 0
    for (let at = from; at < to; at++) sum += this.#heightOf(at)
    return sum
  }

  /** The row at this distance from the first. */
  #at(distance: number): number {
    let [at, below] = [0, this.#heightOf(0)]
    while (below <= distance && at < this.#count()) below += this.#heightOf(++at)
    return at
  }

  #measure(body: HTMLElement): void {
    if (!this.isOn) return
    const tops = [...body.querySelectorAll('tr.line')].map((row) => row.getBoundingClientRect())
    const heights = [...this.#heights]
    tops.forEach(({ top, height }, at) => (heights[this.first + at] = (tops[at + 1]?.top ?? top + height) - top))
    this.#heights = heights
    const { top: start } = body.getBoundingClientRect()
    this.#from = this.#at(-start)
    this.#to = Math.max(this.#from, this.#at(innerHeight - start)) + 1
  }
}
