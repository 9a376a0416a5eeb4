// Bytes that go through a relay to a server that sends them back, and what went wrong where they do not come back.
import { randomBytes } from 'node:crypto'
import type { Lab, Running } from '../lab/index.ts'

export const ALL_BACK = 'all came back'
const DATAGRAM = 'a datagram'

/** Sends back whatever comes, in the namespace. */
export function spawnEcho(lab: Lab, namespace: string, address: string, port: number): void {
  // A pipe takes 4096 bytes whenever it takes any: with more, socat waits for ever for itself to empty a full one. And
  // it is not to leave what is on its way when no more comes.
  const socat = ['socat', '-b', '4096', '-t', '60']
  for (const protocol of ['TCP4', 'UDP4'])
    lab.spawn('ip', ['netns', 'exec', namespace, ...socat, `${protocol}-LISTEN:${port},bind=${address},fork`, 'PIPE'])
}

/** A client in the namespace. */
export class EchoClient {
  readonly #lab: Lab
  readonly #namespace: string
  readonly #relay: string

  constructor(lab: Lab, namespace: string, relay: string) {
    this.#lab = lab
    this.#namespace = namespace
    this.#relay = relay
  }

  /** ALL_BACK, or what came instead. */
  async tcp(length: number, patience_s = 30): Promise<string> {
    const sent = randomBytes(length)
    const running = this.#socat('-t', '60', '-', `TCP4:${this.#relay},connect-timeout=${patience_s}`)
    // One that could not connect has ended, and takes no more.
    const unwritten = await running.write(sent).then(
      () => '',
      (error: unknown) => `; not all could be written: ${String(error)}`,
    )
    running.endStdin()
    const { code, signal } = await running.exited
    const back = running.bytes('stdout')
    if (back.equals(sent)) return ALL_BACK
    const same = back.findIndex((byte, at) => byte !== sent[at])
    const what = `${back.length} of ${length} bytes came back${same < 0 ? '' : `, others from byte ${same} on`}`
    return `${what}; socat ended with ${code ?? signal}: ${running.text('stderr')}${unwritten}`
  }

  /** ALL_BACK, or what came instead. */
  async udp(): Promise<string> {
    const running = this.#socat('-', `UDP4:${this.#relay}`)
    await running.write(DATAGRAM)
    const answer = await running.says(new RegExp(`^${DATAGRAM}$`), 15_000).then(() => ALL_BACK, String)
    running.kill('KILL')
    return answer
  }

  /** Counts what it sends to the port and has from it, to the byte. */
  async countAnew(port: number): Promise<void> {
    const stdin = `table ip told
delete table ip told
table ip told {
  chain sent { type filter hook output priority 0; tcp dport ${port} counter
  }
  chain had { type filter hook input priority 0; tcp sport ${port} counter
  }
}
`
    await this.#lab.run('ip', ['netns', 'exec', this.#namespace, 'nft', '-f', '-'], { stdin })
  }

  /** Since countAnew. */
  async counts(): Promise<{ tx_bytes: number; tx_packets: number; rx_bytes: number; rx_packets: number }> {
    const listed = await this.#lab.run('ip', ['netns', 'exec', this.#namespace, 'nft', 'list table ip told'])
    const [tx, rx] = [...listed.matchAll(/packets (\d+) bytes (\d+)/g)].map(([, packets, bytes]) => ({
      packets: Number(packets),
      bytes: Number(bytes),
    }))
    if (!tx || !rx) throw new Error(listed)
    return { tx_bytes: tx.bytes, tx_packets: tx.packets, rx_bytes: rx.bytes, rx_packets: rx.packets }
  }

  #socat(...args: string[]): Running {
    return this.#lab.spawn('ip', ['netns', 'exec', this.#namespace, 'socat', ...args])
  }
}
