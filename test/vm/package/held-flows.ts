// 100 connections that one program in the client's namespace holds, and what became of them.
import type { Lab, Running } from '../lab/index.ts'
import { RELAY } from '../panel/cables.ts'

export const FLOWS = 100
/** What is lost on an emulated machine is sent again well before. */
const PATIENCE_MS = 600_000

/** Answers each line that comes, `say WORD` or `end COUNT`, with a line. */
const CLIENT = `const [, address, port] = process.argv
const lost = { failed: 0, closed: 0 }
const open = (at) => {
  const flow = { at, had: '', socket: require('node:net').connect(port, address) }
  flow.socket.setEncoding('utf8').on('data', (text) => (flow.had += text))
  flow.socket.on('error', () => (lost.failed += 1)).on('close', () => (lost.closed += 1))
  return flow
}
const flows = Array.from({ length: ${FLOWS} }, (_, at) => open(at))
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const answer = {
  say: async (word) => {
    const own = ({ at }) => word + ' to ' + at + ';'
    const isBack = (flow) => flow.had === own(flow)
    for (const flow of flows) (flow.had = ''), flow.socket.write(own(flow))
    for (const began = Date.now(); !flows.every(isBack) && Date.now() - began < ${PATIENCE_MS}; ) await pause(50)
    return { back: flows.filter(isBack).length, ...lost }
  },
  end: async (count) => {
    await Promise.all(flows.splice(0, count).map(({ socket }) => new Promise((resolve) =>
      socket.removeAllListeners('close').once('close', resolve).end())))
    return { ended: Number(count), ...lost }
  },
}
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const [what, of] = line.split(' ')
  console.log(line + ': ' + JSON.stringify(await answer[what](of)))
})`

/** How many of the held connections brought back the very word that was sent on them, and what ever went wrong. */
interface Received {
  readonly back: number
  readonly failed: number
  readonly closed: number
}

export class HeldFlows {
  readonly #client: Running

  constructor(lab: Lab, port: number) {
    this.#client = lab.spawn('ip', ['netns', 'exec', 'client', 'node', '-e', CLIENT, RELAY, `${port}`])
  }

  /** Sends on each a word of its own, which was never sent before. */
  async say(word: string): Promise<Received> {
    return JSON.parse(await this.#ask(`say ${word}`)) as Received
  }

  /** Closes so many, as a client does that is done. */
  async end(count: number): Promise<void> {
    await this.#ask(`end ${count}`)
  }

  async #ask(line: string): Promise<string> {
    await this.#client.write(`${line}\n`)
    const [, answer = ''] = await this.#client.says(new RegExp(`^${line}: (.*)$`, 'm'), 2 * PATIENCE_MS)
    return answer
  }
}
