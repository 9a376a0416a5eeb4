// The job of a driver, as JSON in its one argument, and its answer, as JSON on stdout. Times are in milliseconds.
import type { CauseCode } from '@panel/shared/api/routes/cause-codes.ts'
import type { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import type { RouteCheckBody } from '@panel/shared/api/routes/check.ts'
import type { Between } from '../relay/rules.ts'

export interface Panel {
  /** Without a slash at the end. */
  readonly url: string
  readonly socket: string
}

export interface Ends {
  readonly local_endpoint: string
  readonly remote_endpoint: string
}

/** Something of each of the two daemons that share the driver's network namespace. */
export interface Costs {
  readonly helper: number
  readonly web: number
}

/**
 * Which side of a tunnel every answer must show: a link, a unit file, or neither where another kind of link stands in.
 */
export interface Shown {
  readonly link: boolean
  readonly unit: boolean
}

/**
 * Rounds to throw away, since the daemons' code is not compiled yet, and rounds to keep; fewer once the budget is used
 * up.
 */
export interface Rounds {
  readonly warm_up: number
  readonly rounds: number
  readonly budget_ms: number
  /** The number of rounds below which the time does not end them, since fewer say nothing; 5 by default. */
  readonly fewest?: number
}

/**
 * `worked_ms`: the most processor time that the daemon took from one look at its event loop to the next, 10 ms later or
 * more.
 */
export interface Stall {
  readonly held_ms: number
  readonly worked_ms: number
}

/**
 * For each second that was looked at: how many echo requests left in the tenth of it that had the most, of how many in
 * all.
 */
export interface Schedule {
  readonly largest: number[]
  readonly sent: number[]
}

export interface Jobs {
  list: {
    job: { panel: Panel; count: number; rounds: Rounds; shown: Shown }
    /** `processor` is what one list by HTTP takes of it. */
    answer: {
      http: number[]
      capabilities: number[]
      links: number[]
      tunnels: number[]
      ip: number[]
      http_bytes: number
      socket_bytes: number
      processor: Costs
      memory: Costs
    }
  }
  reconcile: {
    job: { panel: Panel; count: number; rounds: Rounds }
    answer: Record<'http' | 'digests' | 'tunnels' | 'tools' | 'ip', number[]> &
      Record<'http_bytes' | 'digest_bytes' | 'tunnel_bytes', number>
  }
  create: {
    job: { panel: Panel; ends: Ends; rounds: Rounds }
    answer: Record<'three_ip' | 'ip_batch' | 'socket_runtime' | 'socket_unit' | 'http_runtime' | 'http_unit', number[]>
  }
  many: {
    /**
     * Stops early, and says so by the length of `times`, when the budget is used up. `ip` makes all in one `ip -batch`.
     */
    job: { panel: Panel; ends: Ends; count: number; budget_ms: number; by: 'socket' | 'http' | 'ip' }
    answer: { times: number[]; memory: Costs | null }
  }
  watch: {
    /**
     * Measures for so long once every tunnel is Up, and then as long again how the daemons' event loops are held up,
     * which is not free itself.
     */
    job: { panel: Panel; count: number; seconds: number; stalls: string }
    /** `processor` is milliseconds in each second. `stalls` is the longest of each daemon. */
    answer: {
      processor: Costs
      memory: Costs
      stalls: Record<keyof Costs, Stall>
      schedule: Schedule
      settled_ms: number
    }
  }
  relay: {
    /**
     * So many rules between these are in force and stored; `bare` runs a command where nothing but the same table is.
     */
    job: { panel: Panel; between: Between; count: number; bare: string[]; rounds: Rounds }
    /** `socket` follows what other programs did, and `socket_again` follows that at once. */
    answer: Record<
      'own_text' | 'whole_text' | 'socket' | 'socket_again' | 'patch' | 'post' | 'remove' | 'counters' | 'nft_counters',
      number[]
    >
  }
  causes: {
    /** Each of these commands stops all rules, and the others put it right again. */
    job: { panel: Panel; breaks: { code: CauseCode; how: string[]; mended: string[] }[] }
    /** Processor time of a second in which nobody asks for anything, and what each pass takes beside it. */
    answer: { rest: Costs; passes: Costs[]; seen: { code: CauseCode; shown: number[]; gone: number[] }[] }
  }
  desired: {
    /** `bind_address`: where all rules listen. Each leads through one of so many tunnels. */
    job: { url: string; bind_address: string; count: number; tunnels: number }
    answer: Record<'plan' | 'apply' | 'plan_again' | 'apply_again' | 'list', number[]>
  }
  checked: {
    /** A relay rule, and how its destinations are checked, as the API takes them. */
    job: { url: string; route: CreateRouteBody; check: RouteCheckBody }
    answer: { destinations: number }
  }
  windows: {
    /** Makes so many tunnels, and leaves them there. */
    job: { panel: Panel; ends: Ends; count: number; rounds: Rounds }
    /** Changed outside of a window and in one; one put back, and all. */
    answer: Record<'plain' | 'kept' | 'one' | 'all', number[]>
  }
  seed: {
    /** The store, made where it is missing. */
    job: { store: string; count: number; ends: Ends; persistence_type_id: number }
    answer: { stored: number }
  }
}

export type Job<N extends keyof Jobs> = Jobs[N]['job']
export type Answer<N extends keyof Jobs> = Jobs[N]['answer']

/** The body of a driver. */
export function work<N extends keyof Jobs>(does: (job: Job<N>) => Promise<Answer<N>>): void {
  does(JSON.parse(process.argv[2] ?? 'null') as Job<N>).then(
    (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0)),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
      process.exit(1)
    },
  )
}
