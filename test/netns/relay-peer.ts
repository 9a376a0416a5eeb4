// Runs in a namespace at one end of a relay: listens, connects, sends and counts, as each line that it reads asks.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

export interface Place {
  readonly protocol: 'tcp' | 'udp'
  readonly address: string
  readonly port: number
}

/** Who answered and whom it saw, as "address port"; null where nobody did in time. */
export interface Talk {
  readonly server: string
  readonly seen: string
}

export interface Flooded {
  readonly datagrams: number
  readonly bytes: number
  readonly connections: number
  readonly failed: number
  readonly slowest_ms: number
}

/** Shorter than the kernel's before it sends a SYN again, so that one that is lost shows. */
const PATIENCE_MS = 700
const TICK_MS = 10

/** Calls back once this process has been awake for so long: on a busy machine it answers late, and so do its peers. */
function whenAwakeFor(ms: number, callback: () => void): NodeJS.Timeout {
  let left = ms / TICK_MS
  const timer = setInterval(() => {
    left -= 1
    if (left > 0) return
    clearInterval(timer)
    callback()
  }, TICK_MS)
  return timer
}

const awake = (): Promise<void> => new Promise((resolve) => void whenAwakeFor(PATIENCE_MS, resolve))

const spelled = (address: string | undefined, port: number | undefined): string =>
  `${(address ?? '').replace(/^::ffff:/, '')} ${port ?? 0}`
const received = new Map<string, number>()
const count = (where: string, bytes: number): void => void received.set(where, (received.get(where) ?? 0) + bytes)

const listening = new Map<string, Server>()
const accepted = new Set<Socket>()

function listenTcp({ address, port }: Place): Promise<void> {
  const server = createServer((socket) => {
    accepted.add(socket)
    socket.on('error', () => undefined).on('close', () => accepted.delete(socket))
    socket.write(
      `${spelled(socket.localAddress, socket.localPort)}|${spelled(socket.remoteAddress, socket.remotePort)}\n`,
    )
    socket.on('data', (data) => {
      count(`tcp ${port}`, data.length)
      socket.write(data)
    })
  })
  listening.set(`${address} ${port}`, server)
  return new Promise((resolve, reject) => void server.on('error', reject).listen(port, address, resolve))
}

/** Lets the port refuse connections. */
function stopListening({ address, port }: Place): void {
  listening.get(`${address} ${port}`)?.close()
}

function listenUdp({ address, port }: Place): Promise<void> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', (data, from) => {
    count(`udp ${port}`, data.length)
    count(`udp ${port} datagrams`, 1)
    if (data.length < 20)
      socket.send(`${spelled(address, port)}|${spelled(from.address, from.port)}`, from.port, from.address)
  })
  return new Promise((resolve, reject) => {
    socket.on('error', reject).bind(port, address, () => {
      socket.setRecvBufferSize(4 << 20)
      resolve()
    })
  })
}

const readTalk = (line: string): Talk => {
  const [server = '', seen = ''] = line.trim().split('|')
  return { server, seen }
}

function talkTcp(
  { address, port }: Place,
  from: string | undefined,
  keep?: (socket: Socket) => void,
  patience_ms = PATIENCE_MS,
): Promise<Talk | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, ...(from ? { localAddress: from } : {}) })
    const end = (talk: Talk | null): void => {
      clearInterval(timer)
      if (keep && talk) keep(socket)
      else socket.destroy()
      resolve(talk)
    }
    const timer = whenAwakeFor(patience_ms, () => end(null))
    socket.on('error', () => end(null))
    socket.once('data', (data) => end(readTalk(data.toString())))
  })
}

function talkUdp({ address, port }: Place, from: string | undefined): Promise<Talk | null> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    const end = (talk: Talk | null): void => {
      clearInterval(timer)
      socket.close()
      resolve(talk)
    }
    const timer = whenAwakeFor(PATIENCE_MS, () => end(null))
    socket.on('error', () => undefined)
    socket.on('message', (data) => end(readTalk(data.toString())))
    socket.bind(0, from, () => socket.send('who', port, address))
  })
}

const held = new Map<string, Socket>()
const heldUdp = new Map<string, UdpSocket>()

/** Who answers a datagram of this flow, which is from the same port each time; null where nobody does in time. */
function askOnFlow(name: string, { address, port }: Place): Promise<Talk | null> {
  const socket = heldUdp.get(name) ?? createSocket(address.includes(':') ? 'udp6' : 'udp4')
  heldUdp.set(name, socket)
  return new Promise((resolve) => {
    const end = (talk: Talk | null): void => {
      clearInterval(timer)
      socket.removeAllListeners('message')
      resolve(talk)
    }
    const timer = whenAwakeFor(PATIENCE_MS, () => end(null))
    socket.on('message', (data) => end(readTalk(data.toString())))
    socket.send('who', port, address)
  })
}
let isFlooding = false
let flood: Promise<Flooded> | null = null

/** For what shall come, however busy the machine is. */
const LONG_MS = 20_000
let crowd: Socket[] = []

/** So many connections at once, from these addresses in turn; how many there are. */
async function gather(count: number, place: Place, sources: readonly string[] = []): Promise<number> {
  const keep = (socket: Socket): void => void crowd.push(socket)
  await Promise.all(
    Array.from({ length: count }, (_, at) => talkTcp(place, sources[at % sources.length], keep, LONG_MS)),
  )
  return crowd.length
}

/** Who answers a new connection from each of these addresses. */
async function reach(place: Place, sources: readonly string[]): Promise<string[]> {
  const talks = await Promise.all(sources.map((from) => talkTcp(place, from, undefined, LONG_MS)))
  return talks.map((talk) => talk?.server ?? 'nobody')
}

/** The error with which a new connection ends; null if it succeeds. */
function refusal({ address, port }: Place): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port }, () => {
      socket.destroy()
      resolve(null)
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''))
  })
}

/**
 * How many of them still answer. As many as `expected` are waited for, and the others for as long as they could take.
 */
async function answering(expected: number): Promise<number> {
  let answered = 0
  for (const socket of crowd) {
    socket.once('data', () => (answered += 1))
    socket.write('x')
  }
  for (let left = LONG_MS / TICK_MS; answered < expected && left > 0; left -= 1) await pause(TICK_MS)
  if (expected < crowd.length) await awake()
  for (const socket of crowd) socket.removeAllListeners('data')
  return answered
}

/** Has the servers speak first to every client; resolves when their kernel has had the time to send it. */
async function speak(): Promise<void> {
  for (const socket of accepted) socket.write('x')
  await awake()
}

let knocking: Promise<string[]> | null = null
let isKnocking = false

/** One new connection after the other, to each place in turn; by its port, who answered, and "nobody". */
async function knock(places: readonly Place[]): Promise<string[]> {
  const seen = new Set<string>()
  while (isKnocking)
    for (const place of places)
      seen.add(`${place.port}: ${(await talkTcp(place, undefined, undefined, LONG_MS))?.server ?? 'nobody'}`)
  return [...seen].sort()
}

let chatting: NodeJS.Timeout | undefined

/** A connection that is silent while nothing relays it does not notice. */
function chat(): void {
  chatting = setInterval(() => {
    for (const socket of crowd) if (socket.writable) socket.write('x')
  }, 50)
}

export interface Storm {
  readonly begun: number
  readonly refused: number
  /** The time from the beginning of the first that was refused to that of the last; 0 if none was. */
  readonly refused_ms: number
  readonly seconds: number
}

let isStorming = false
let storm: Promise<Storm> | null = null

/** New connections all the time, each ended by a reset as soon as it is answered, so that no port is used up. */
async function storming(place: Place, per_second: number): Promise<Storm> {
  const began = performance.now()
  const refused: number[] = []
  const open: Promise<void>[] = []
  while (isStorming) {
    for (const due = ((performance.now() - began) / 1000) * per_second; open.length < due;) {
      const at = performance.now()
      const reset = (socket: Socket): void => void socket.resetAndDestroy()
      open.push(talkTcp(place, undefined, reset, LONG_MS).then((talk) => void (talk || refused.push(at))))
    }
    await pause(5)
  }
  const seconds = (performance.now() - began) / 1000
  await Promise.all(open)
  const refused_ms = refused.length === 0 ? 0 : Math.max(...refused) - Math.min(...refused)
  return { begun: open.length, refused: refused.length, refused_ms, seconds }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Datagrams of 500 bytes without end, and a new connection now and then. */
async function pour(udp: Place, tcp: Place): Promise<Flooded> {
  const socket: UdpSocket = createSocket('udp4')
  const data = Buffer.alloc(500, 'x')
  let [datagrams, connections, failed, slowest_ms] = [0, 0, 0, 0]
  while (isFlooding) {
    for (let i = 0; i < 10; i += 1) await new Promise((resolve) => socket.send(data, udp.port, udp.address, resolve))
    datagrams += 10
    const started = performance.now()
    if (!(await talkTcp(tcp, undefined))) failed += 1
    connections += 1
    slowest_ms = Math.max(slowest_ms, performance.now() - started)
    await pause(2)
  }
  socket.close()
  return { datagrams, bytes: datagrams * data.length, connections, failed, slowest_ms }
}

const methods = {
  listen: (place: Place) => (place.protocol === 'tcp' ? listenTcp(place) : listenUdp(place)),
  stopListening: async (place: Place) => stopListening(place),
  talk: (place: Place, from?: string) => (place.protocol === 'tcp' ? talkTcp(place, from) : talkUdp(place, from)),
  hold: (name: string, place: Place) => talkTcp(place, undefined, (socket) => void held.set(name, socket), LONG_MS),
  /** Whether the far end of a held connection still answers. */
  say: (name: string) =>
    new Promise<boolean>((resolve) => {
      const socket = held.get(name)
      const timer = whenAwakeFor(PATIENCE_MS, () => resolve(false))
      socket?.once('data', () => {
        clearInterval(timer)
        resolve(true)
      })
      socket?.write('x')
    }),
  askOnFlow,
  gather,
  reach,
  refusal,
  answering,
  speak,
  /** Lets all of them speak until they are dispersed. */
  chat,
  disperse: () => {
    clearInterval(chatting)
    for (const socket of crowd) socket.destroy()
    crowd = []
  },
  startKnocking: (places: readonly Place[]) => {
    isKnocking = true
    knocking = knock(places)
  },
  stopKnocking: () => {
    isKnocking = false
    return knocking
  },
  startStorm: (place: Place, per_second: number) => {
    isStorming = true
    storm = storming(place, per_second)
  },
  stopStorm: () => {
    isStorming = false
    return storm
  },
  release: () => {
    held.forEach((socket) => socket.destroy())
    held.clear()
    for (const socket of heldUdp.values()) socket.close()
    heldUdp.clear()
  },
  startFlood: (udp: Place, tcp: Place) => {
    isFlooding = true
    flood = pour(udp, tcp)
  },
  /** Sends so many datagrams of 500 bytes. */
  pour: async (udp: Place, datagrams: number) => {
    const socket = createSocket('udp4')
    for (let i = 0; i < datagrams; i += 1)
      await new Promise((resolve) => socket.send(Buffer.alloc(500, 'x'), udp.port, udp.address, resolve))
    socket.close()
  },
  stopFlood: () => {
    isFlooding = false
    return flood
  },
  received: () => Object.fromEntries(received),
}
export type PeerMethods = typeof methods

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, args } = JSON.parse(line) as { id: number; method: keyof PeerMethods; args: never[] }
  void Promise.resolve((methods[method] as (...all: never[]) => unknown)(...args)).then(
    (result) => process.stdout.write(`${JSON.stringify({ id, result: result ?? null })}\n`),
    (error: Error) => process.stdout.write(`${JSON.stringify({ id, error: error.message })}\n`),
  )
}
process.exit(0)
