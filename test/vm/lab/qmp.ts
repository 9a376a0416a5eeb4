// QEMU's machine protocol over a connected socket: one JSON object per line, answers matched to questions by id.
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'

interface Answer {
  readonly id?: number
  readonly return?: unknown
  readonly error?: { readonly desc: string }
}

interface Waiting {
  readonly command: string
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

export class Qmp {
  readonly #socket: Duplex
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  constructor(socket: Duplex) {
    this.#socket = socket
    const lines = createInterface({ input: socket })
    lines.on('line', (line) => this.#hear(JSON.parse(line) as Answer))
    lines.once('error', (error: Error) => this.#giveUp(error.message)) // readline passes on what befalls its input
    socket.on('error', (error) => this.#giveUp(error.message))
    socket.once('close', () => this.#giveUp('QEMU closed its control socket'))
  }

  execute(command: string, args: object = {}): Promise<unknown> {
    const id = ++this.#lastId
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`)
    return new Promise((resolve, reject) => this.#waiting.set(id, { command, resolve, reject }))
  }

  /** A command of the monitor for people, for the few things that the protocol lacks; returns what it prints. */
  async monitor(line: string): Promise<string> {
    return String(await this.execute('human-monitor-command', { 'command-line': line }))
  }

  // Events and the greeting carry no id and interest nobody here.
  #hear({ id, error, return: value }: Answer): void {
    if (id === undefined) return
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new Error(`QEMU refuses ${waiting.command}: ${error.desc}`))
    else waiting?.resolve(value)
  }

  #giveUp(why: string): void {
    for (const { command, reject } of this.#waiting.values()) reject(new Error(`${command}: ${why}`))
    this.#waiting.clear()
  }
}
