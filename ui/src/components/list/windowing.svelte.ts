// Which rows of a long table are drawn: those in view and some around them, by the mean height of those drawn.
import { untrack } from 'svelte'
import type { Attachment } from 'svelte/attachments'

/** More rows than this are windowed. */
const DRAWN_WHOLE = 100
const MARGIN = 8
const BEFORE_MARGIN_MS = 100
const LEAST_HEIGHT = 20

export class Windowing {
  /** Visible rows; a typical screen until they are measured. */
  #from = $state(0)
  #to = $state(30)
  #height = $state(24)
  readonly #count: () => number
  readonly #restart: () => unknown
  readonly isOn = $derived.by(() => this.#count() > DRAWN_WHOLE)
  /** Rows beyond the view are drawn early, except while the search or order is changing. */
  #margin = $derived.by(() => (this.#restart(), 0))
  readonly first = $derived.by(() => Math.max(0, Math.min(this.#from, this.#count() - MARGIN) - this.#margin))
  readonly last = $derived.by(() => Math.min(this.#count(), this.#to + this.#margin))
  readonly above = $derived(this.isOn ? this.first * this.#height : 0)
  readonly below = $derived.by(() => (this.isOn ? (this.#count() - this.last) * this.#height : 0))

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
    const look = (): void => this.#measure(body)
    // What it measures must not start it again: rows of different heights would never come to rest.
    $effect(() => {
      void [this.#restart(), this.#count()]
      untrack(look)
    })
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }

  #measure(body: HTMLElement): void {
    if (!this.isOn) return
    const inside = [...body.querySelectorAll<HTMLElement>('tr.line')]
    const [top, bottom] = [inside[0], inside.at(-1)]
    if (top && bottom) {
      const mean = (bottom.getBoundingClientRect().bottom - top.getBoundingClientRect().top) / inside.length
      if (Math.abs(mean - this.#height) >= 1) this.#height = Math.max(LEAST_HEIGHT, mean)
    }
    const { top: start } = body.getBoundingClientRect()
    this.#from = Math.max(0, Math.floor(-start / this.#height))
    this.#to = Math.max(this.#from, Math.ceil((innerHeight - start) / this.#height)) + 1
  }
}
