// What the tests of listeners share.
import { connect, createServer, type AddressInfo } from 'node:net'
import type { ListenerView, ListListenersAnswer, TryListenerAnswer } from '@panel/shared/api/listeners.ts'
import { eventually } from '../../support/eventually.ts'
import { Client, type Reply } from './client.ts'

/** One that was free a moment ago. */
export const closedPort = async (address = '127.0.0.1'): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Tries a listener, by default plain HTTP on a free loopback port. */
export const tryListener = async (client: Client, body: object): Promise<Reply<TryListenerAnswer>> =>
  client.post<TryListenerAnswer>('/system/listeners', {
    address: '127.0.0.1',
    port: await closedPort(),
    tls: null,
    ...body,
  })

export const listed = async (client: Client): Promise<ListenerView[]> =>
  (await client.get<ListListenersAnswer>('/system/listeners')).body.listeners

/** The same operator over another listener. */
export const through = (
  client: Client,
  { address, port, is_tls }: Pick<ListenerView, 'address' | 'port' | 'is_tls'>,
): Client => {
  const there = new Client(`${is_tls ? 'https' : 'http'}://${address}:${port}/`, client.check)
  for (const [name, value] of client.cookies) there.cookies.set(name, value)
  return there
}

const takes = (base: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(base)
    const socket = connect(Number(port), hostname)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Resolves once nobody takes connections there any more; what closes may take a moment. */
export const closes = (base: string): Promise<void> =>
  eventually(async () => !(await takes(base)), `${base} is closed`, { pause_ms: 5 })
