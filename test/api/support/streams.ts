// The client's end of a stream of server-sent events: what came, in order, and a way to stop reading or to go away.
import { request, type IncomingMessage } from 'node:http'
import { eventually } from '../../support/eventually.ts'
import type { Client } from './client.ts'

export interface ReceivedEvent {
  readonly name: string
  readonly data: unknown
}

export interface OpenStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Everything as it came over the wire so far. */
  readonly text: () => string
  readonly events: () => readonly ReceivedEvent[]
  /** Resolves once `count` events are there. */
  readonly until: (count: number) => Promise<readonly ReceivedEvent[]>
  /** Resolves when the panel ends it. */
  readonly ended: Promise<void>
  readonly stopReading: () => void
  readonly readOn: () => void
  readonly leave: () => void
}

export interface Opening {
  readonly method?: 'GET' | 'POST' | 'HEAD'
  readonly body?: object
}

/**
 * Opens a stream, or gives the refusal in `text`. Reads only what has arrived, so that a test can be as slow as it
 * likes.
 */
export const openStream = (
  client: Client,
  path: string,
  { method = 'GET', body }: Opening = {},
): Promise<OpenStream> => {
  const { hostname, port, pathname } = new URL(client.base)
  const target = `${pathname}api/v1${path}`
  const cookies = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const csrf =
    method === 'POST'
      ? { 'X-CSRF-Token': client.cookies.get('panel_csrf') ?? '', 'Content-Type': 'application/json' }
      : {}
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path: target, agent: false, headers: { Cookie: cookies, ...csrf } },
      (response) => resolve(reading(response, ({ name, data }) => client.check.event(method, target, name, data))),
    )
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

/** An event that is not as it is described fails the test that is under way. */
const reading = (response: IncomingMessage, check: (event: ReceivedEvent) => void): OpenStream => {
  let [text, unfinished] = ['', '']
  const events: ReceivedEvent[] = []
  response.setEncoding('utf8')
  response.on('data', (part: string) => {
    text += part
    const blocks = (unfinished + part).split('\n\n')
    unfinished = blocks.pop() ?? ''
    const arrived = blocks.flatMap(eventIn)
    events.push(...arrived)
    arrived.forEach(check)
  })
  const ended = new Promise<void>((resolve) => response.once('close', resolve))
  response.on('error', () => undefined)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events: () => events,
    until: async (count) => {
      await eventually(() => events.length >= count, `${count} events`)
      return events
    },
    ended,
    stopReading: () => void response.pause(),
    readOn: () => void response.resume(),
    leave: () => void response.destroy(),
  }
}

/** Comments and the time to reconnect are no events. */
const eventIn = (block: string): ReceivedEvent[] => {
  const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
  return name === undefined || data === undefined ? [] : [{ name, data: JSON.parse(data) as unknown }]
}
