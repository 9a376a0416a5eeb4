// events.subscribe: one watch of the kernel for all subscribers, opened with the first and closed with the last.
import { LOST, type HostEvent } from '@panel/shared/events/model.ts'
import type { Item, Result } from '@panel/shared/rpc/methods.ts'
import type { KernelEvents } from '../kernel/facilities.ts'
import { EventQueue } from './queue.ts'

class SharedWatch {
  readonly #kernel: KernelEvents
  readonly #listeners = new Set<EventQueue>()
  #close: () => void = () => undefined

  constructor(kernel: KernelEvents) {
    this.#kernel = kernel
  }

  join(listener: EventQueue): void {
    if (this.#listeners.size === 0) this.#close = this.#kernel.watch((event) => this.#send(event))
    this.#listeners.add(listener)
  }

  leave(listener: EventQueue): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size === 0) this.#close()
  }

  #send(event: HostEvent): void {
    for (const listener of this.#listeners) listener.push(event)
  }
}

type Subscription = AsyncGenerator<Item<'events.subscribe'>, Result<'events.subscribe'>, void>

export function eventSubscriber(kernel: KernelEvents): (signal: AbortSignal) => Subscription {
  const watch = new SharedWatch(kernel)
  return async function* (signal) {
    const queue = new EventQueue()
    watch.join(queue)
    signal.addEventListener('abort', () => queue.close(), { once: true })
    if (signal.aborted) queue.close()
    // From here on every event is reported; earlier ones were not.
    queue.push(LOST)
    try {
      for (let events = await queue.take(); events.length > 0; events = await queue.take()) yield { events }
      return {}
    } finally {
      watch.leave(queue)
    }
  }
}
