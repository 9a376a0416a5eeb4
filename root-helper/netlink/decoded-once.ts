// Decodes a message again only where it has changed: of a thousand links that are read again and again hardly one has.
import type { Message } from './message.ts'

interface Entry<T> {
  readonly type: number
  readonly body: Buffer
  readonly value: T
}

/**
 * For the messages of a dump, each time of all there is. The kernel keeps their order, so each is compared with the one
 * that had its place last time. Nobody writes to what is returned.
 */
export function decodedOnce<T>(decode: (message: Message) => T): (messages: readonly Message[]) => T[] {
  let before: Entry<T>[] = []
  return (messages) => {
    before = messages.map((message, at) => sameEntry(before[at], message) ?? entryOf(message, decode))
    return before.map(({ value }) => value)
  }
}

const sameEntry = <T>(entry: Entry<T> | undefined, { type, body }: Message): Entry<T> | null =>
  entry?.type === type && entry.body.equals(body) ? entry : null

/** A copy, since the body is cut from a datagram that would be kept with it. */
function entryOf<T>(message: Message, decode: (message: Message) => T): Entry<T> {
  const body = Buffer.from(message.body)
  return { type: message.type, body, value: decode({ ...message, body }) }
}
