// Keeps the newest items, up to a size.
export class Ring<T> {
  #size: number
  #items: T[] = []
  #next = 0

  constructor(size: number) {
    this.#size = size
  }

  get length(): number {
    return this.#items.length
  }

  push(item: T): void {
    this.#items[this.#next] = item
    this.#next = (this.#next + 1) % this.#size
  }

  /** The newest `count`, newest last. */
  last(count: number): T[] {
    const inOrder =
      this.#items.length < this.#size
        ? this.#items
        : [...this.#items.slice(this.#next), ...this.#items.slice(0, this.#next)]
    return inOrder.slice(Math.max(0, inOrder.length - count))
  }

  /** A smaller ring keeps the newest. */
  resize(size: number): void {
    this.#items = this.last(size)
    this.#size = size
    this.#next = this.#items.length % size
  }
}
