// The two ends of the connections that an impact is held against, as programs for node in the lab: a destination that
// speaks, and a client that hears.
/** Speaks once a second to every client, and sends back what it receives. */
export const speaker = (addresses: readonly string[]): string => `
for (const address of ${JSON.stringify(addresses)})
  require('node:net').createServer((socket) => {
    const speak = () => socket.write('x')
    const timer = setInterval(speak, 1000)
    socket.on('error', () => undefined).on('close', () => clearInterval(timer)).on('data', (bytes) => socket.write(bytes))
    speak()
  }).listen({ port: 9000, host: address, backlog: 500 }, () => console.log('listening'))`

export type Requested =
  /** Opens so many connections to each port as are missing, waits until all are, and closes those to others. */
  | { readonly fill: Readonly<Record<number, number>> }
  /** Lets further connections to the port speak too; they count once their words are back. */
  | { readonly talk: number }
  /** Opens new connections to the port, one after the other, until something is counted. */
  | { readonly knock: number }
  /** How many shall answer on each port; the number is reported once that is so, or once they have had the time. */
  | { readonly count: Readonly<Record<number, number>>; readonly patience_ms: number }

export interface Counted {
  readonly received: Readonly<Record<number, number>>
  /** The number of new connections meanwhile that were refused. */
  readonly refused: number
  /** The ports to which one more connection came about afterwards. */
  readonly fresh: readonly number[]
  /** The longest time in which a connection received nothing. */
  readonly gap_ms: number
}

/** Answers each line, a request, with a line. */
export const listener = (address: string): string => `
const [net, slots] = [require('node:net'), new Map()]
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const within = async (ms, isDone) => {
  for (const began = Date.now(); !isDone() && Date.now() - began < ms; ) await pause(20)
}
const talking = new Set()
const open = (name, port) => {
  slots.get(name)?.socket.resetAndDestroy()
  const slot = { socket: net.connect(port, '${address}'), port, isHeard: false, at: Date.now(), gap: 0 }
  const timer = talking.has(port) && setInterval(() => slot.socket.write('y'), 1000)
  slot.socket.on('error', () => undefined).on('close', () => clearInterval(timer)).on('data', (bytes) => {
    slot.isHeard ||= !talking.has(port) || bytes.includes('y')
    slot.gap = Math.max(slot.gap, Date.now() - slot.at)
    slot.at = Date.now()
  })
  slots.set(name, slot)
}
const of = (port) => [...slots.values()].filter((slot) => slot.port === port)
const answering = (port) => of(port).filter((slot) => slot.isHeard).length
const unheard = (ports) => ports.flatMap(of).forEach((slot) => (slot.isHeard = false))
const tried = (port, ms) => new Promise((resolve) => {
  const socket = net.connect(port, '${address}')
  const end = (how) => (clearTimeout(timer), socket.resetAndDestroy(), resolve(how))
  const timer = setTimeout(() => end('silent'), ms)
  socket.on('error', () => end('refused')).on('data', () => end('fresh'))
})
let [isKnocking, knocking] = [false, Promise.resolve(0)]
const knock = async (port) => {
  let refused = 0
  while (isKnocking) {
    if ((await tried(port, 20000)) === 'refused') refused += 1
    await pause(100)
  }
  return refused
}
const answer = {
  fill: async (shall) => {
    const ports = Object.keys(shall).map(Number)
    for (const [name, { socket, port }] of slots)
      if (!ports.includes(port)) slots.delete(name), socket.resetAndDestroy()
    for (const port of ports)
      for (let at = 0; at < shall[port]; at += 1)
        if (!slots.get(port + ' ' + at)?.isHeard) open(port + ' ' + at, port)
    unheard(ports)
    await within(60000, () => ports.every((port) => answering(port) === shall[port]))
    for (const slot of slots.values()) slot.gap = 0
    return { received: Object.fromEntries(ports.map((port) => [port, answering(port)])) }
  },
  talk: async (port) => {
    talking.add(port)
    return {}
  },
  knock: async (port) => {
    isKnocking = true
    knocking = knock(port)
    return {}
  },
  count: async (shall, { patience_ms }) => {
    isKnocking = false
    const refused = await knocking
    const ports = Object.keys(shall).map(Number)
    unheard(ports)
    await within(60000, () => ports.every((port) => answering(port) >= shall[port]))
    if (ports.some((port) => shall[port] === 0)) await pause(2500)
    const all = Object.fromEntries(ports.map((port) => [port, answering(port)]))
    const fresh = await Promise.all(ports.map((port) => tried(port, patience_ms)))
    const gap_ms = Math.max(...ports.flatMap(of).map(({ gap }) => gap))
    return { received: all, refused, fresh: ports.filter((_, at) => fresh[at] === 'fresh'), gap_ms }
  },
}
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const request = JSON.parse(line)
  const [[what, of]] = Object.entries(request)
  console.log(JSON.stringify(await answer[what](of, request)))
})
console.log('ready')`
