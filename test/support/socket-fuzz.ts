// A program: sends mutated requests to the helper's socket, many on one connection until it hangs up, and counts the
// answers.
import { connect } from 'node:net'
import { exampleTunnel } from './example.ts'

const [path = '', total = '0'] = process.argv.slice(2)
const count = { sent: 0, refused: 0, closed: 0, internal: 0 }

const request = (method: string, params: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
// None of them would change anything if it arrived whole: the host does not hold what they start from.
const GOOD = [
  request('tunnel.probe', { interface_names: ['gre-a-1'] }),
  request('tunnel.adopt', { interface_name: 'gre-a-1', link: exampleTunnel().link }),
  request('tunnel.verify', { before: null, after: exampleTunnel() }),
  request('tunnel.apply', { before: exampleTunnel(), after: exampleTunnel({ mtu: 1400 }) }),
  request('events.subscribe', {}),
  request('stream.cancel', { id: 1 }),
]
const INSERTS = [
  '',
  'null',
  '[]',
  '{}',
  '-1',
  '1e99',
  '"',
  '}',
  ',',
  '\\u0000',
  '__proto__',
  'true',
  '\u00e9',
  'x'.repeat(2000),
]

/** A small generator with a fixed seed (xorshift32), so that a failure comes again. */
let seed = 0x9e3779b9
function random(below: number): number {
  seed ^= seed << 13
  seed ^= seed >>> 17
  seed ^= seed << 5
  return (seed >>> 0) % below
}

function mutated(): string {
  const line = GOOD[random(GOOD.length)] as string
  const at = random(line.length)
  return line.slice(0, at) + (INSERTS[random(INSERTS.length)] as string) + line.slice(at + 1 + random(6))
}

/** One connection: a burst of lines, then the answers until it ends. */
function burst(lines: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(path, () => socket.end(Array.from({ length: lines }, mutated).join('\n') + '\n'))
    socket.on('data', (data) => (text += data.toString()))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : reject(error),
    )
    socket.on('close', () => {
      tally(text, lines)
      resolve()
    })
  })
}

function tally(text: string, lines: number): void {
  const errors = text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : ((JSON.parse(line) as { error?: { code: number } }).error ?? [])))
  count.internal += errors.filter(({ code }) => code === -32603).length
  count.sent += lines
  // The first malformed line closes the connection, and with it the rest of its burst is refused unread.
  count.refused += errors.length > 0 ? lines : 0
  count.closed += 1
}

async function main(): Promise<void> {
  const LINES = 25
  while (count.sent < Number(total))
    await Promise.all(Array.from({ length: 8 }, () => burst(Math.min(LINES, Number(total) / 8))))
  process.stdout.write(JSON.stringify(count))
}

void main()
