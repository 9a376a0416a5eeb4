// The ways to run a command in the machine; a server in its namespace has the same.
import type { Channel, Exit, Request } from './channel.ts'
import { Running } from './running.ts'

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** What the command reads. Without it, `spawn` leaves stdin open and the others give an empty one. */
  readonly stdin?: string | Uint8Array
  /** A minute when absent; `spawn` has no limit. */
  readonly timeoutMs?: number
}

export interface Result extends Exit {
  readonly stdout: string
  readonly stderr: string
}

export type Open = (request: Request) => Channel

interface Call {
  readonly label: string
  readonly request: Request
  readonly options: CommandOptions
}

type Args = readonly string[] | CommandOptions

/**
 * A command is either one string for the shell, `run('ip link | grep gre')`, or a program with its arguments,
 * `run('ip', ['link'])`, which no shell touches.
 */
export class Commands {
  readonly #open: Open

  constructor(open: Open) {
    this.#open = open
  }

  /** Runs to the end and returns stdout; throws with the command, its exit code and its whole output if it fails. */
  async run(command: string, args?: Args, options?: CommandOptions): Promise<string> {
    return (await this.bytes(command, args, options)).toString()
  }

  /** Like `run`, for output that is not text. */
  async bytes(command: string, args?: Args, options?: CommandOptions): Promise<Buffer> {
    const call = callOf(command, args, options)
    const running = await this.#toTheEnd(call)
    const { code } = await running.exited
    if (code === 0) return running.bytes('stdout')
    throw new Error(`${call.label}: exit code ${String(code)}\n${output(running)}`)
  }

  /** Runs to the end and returns how it went. Throws only when it does not end in time. */
  async try(command: string, args?: Args, options?: CommandOptions): Promise<Result> {
    const running = await this.#toTheEnd(callOf(command, args, options))
    return { ...(await running.exited), stdout: running.text('stdout'), stderr: running.text('stderr') }
  }

  /** Starts it and leaves it running. */
  spawn(command: string, args?: Args, options?: CommandOptions): Running {
    return this.#start(callOf(command, args, options))
  }

  #start({ label, request, options }: Call): Running {
    const running = new Running(label, this.#open(request))
    if (options.stdin !== undefined) void running.write(options.stdin).then(() => running.endStdin())
    return running
  }

  async #toTheEnd(call: Call): Promise<Running> {
    const { timeoutMs = 600_000, stdin = '' } = call.options
    const running = this.#start({ ...call, options: { stdin } })
    let late = false
    const timer = setTimeout(() => {
      late = true
      running.abandon()
    }, timeoutMs)
    await running.exited
    clearTimeout(timer)
    if (late) throw new Error(`${call.label}: killed after ${String(timeoutMs)} ms\n${output(running)}`)
    return running
  }
}

function output(running: Running): string {
  return running.text('stdout') + running.text('stderr')
}

function callOf(command: string, args: Args = {}, options: CommandOptions = {}): Call {
  const argv = isList(args) ? [command, ...args] : ['sh', '-c', command]
  const all = isList(args) ? options : args
  const { env, cwd } = all
  const request = { argv, ...(env !== undefined && { env }), ...(cwd !== undefined && { cwd }) }
  return { label: isList(args) ? argv.join(' ') : command, request, options: all }
}

function isList(args: Args): args is readonly string[] {
  return Array.isArray(args)
}
