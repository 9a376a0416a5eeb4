// Puts what the panel publishes into the outbox.
import type { Bus } from '../../../platform/events/bus.ts'
import type { Outbox } from '../outbox.ts'
import { OBSERVED, STORED, type ObservedSources, type StoredSources } from './events.ts'
import type { FailedSignIns } from './sign-ins.ts'

/** Returns the function that ends it. */
export function listen(bus: Bus, outbox: Pick<Outbox, 'add' | 'write'>, signIns: FailedSignIns): () => void {
  const ends = [...listenToStored(bus, outbox, signIns), ...listenToObserved(bus, outbox)]
  return () => ends.forEach((end) => end())
}

const listenToStored = (bus: Bus, outbox: Pick<Outbox, 'write'>, signIns: FailedSignIns): (() => void)[] =>
  (Object.keys(STORED) as (keyof StoredSources)[]).map((name) => {
    const notices = STORED[name] as (events: never, context: object) => ReturnType<StoredSources[typeof name]>
    return bus.subscribeIn(name, async (transaction, events) =>
      outbox.write(transaction, await notices(events as never, { transaction, signIns })),
    )
  })

const listenToObserved = (bus: Bus, outbox: Pick<Outbox, 'add'>): (() => void)[] =>
  (Object.keys(OBSERVED) as (keyof ObservedSources)[]).map((name) => {
    const notices = OBSERVED[name] as (event: never) => ReturnType<NonNullable<ObservedSources[typeof name]>>
    return bus.subscribe(name, (event) => outbox.add(notices(event as never)))
  })
