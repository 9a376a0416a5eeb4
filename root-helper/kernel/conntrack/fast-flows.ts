// What the flows of the fast path carry. Connection tracking alone counts them, from their first packet to their last:
// those that live are read from its table, those that have ended from the kernel's word of their end.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { message } from '@panel/shared/messages/message.ts'
import type { FastCounters } from '@panel/shared/ruleset/found.ts'
import { ruleMark } from '@panel/shared/ruleset/mark.ts'
import { dumpByMark, fastFlow, type FastFlow } from '../../netlink/conntrack.ts'
import { NETLINK_NETFILTER } from '../../netlink/constants.ts'
import type { Message } from '../../netlink/message.ts'
import { NetlinkSocket } from '../../netlink/socket.ts'
import { sharedRead } from '../../shared-read.ts'
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'
import { errorCode } from '../files/files.ts'
import { addTo, FlowLog, isCounted, readOrEmpty } from './flow-log.ts'
import { FlowEvents } from './flow-events.ts'

const FAST_MASK = 0xf000_0000
/** Looked at in one turn of the event loop. */
const BURST = 2000
/** The kernel repeats an event that found no room at once. A flow without an event for so long has ended unseen. */
const UNSEEN_MS = 60_000
const LISTING_MS = 6000
const ENDED_MAX = 100_000
const REST_FACTOR = 9
const SWITCHES = ['nf_conntrack_acct', 'nf_conntrack_events'].map((name) => `/proc/sys/net/netfilter/${name}`)

interface Live extends FastFlow {
  /** When it was first missing from the table while no word of its end had come; null where it is there. */
  missing: number | null
}

export class FastFlows {
  readonly #logPath: string
  readonly #livePath: string
  readonly #bootId: string
  #log: FlowLog | null = null
  #events: FlowEvents | null = null
  #socket: NetlinkSocket | null = null
  #live = new Map<string, Live>()
  /** When each ended; a listing may still have it. */
  readonly #ended = new Map<string, number>()
  /** What ended before this socket was there ended unseen. */
  #hasGap = false
  readonly #monotonic: () => number
  /** Many flows take long to read; meanwhile the last reading stands. */
  #restsUntil = 0
  #last: FastCounters | null = null

  constructor(folder: string, bootId: string, monotonic = () => performance.now()) {
    this.#logPath = join(folder, 'fast-path-ended')
    this.#livePath = join(folder, 'fast-path-live')
    this.#bootId = bootId
    this.#monotonic = monotonic
  }

  /** When the helper starts: goes on where the last one ended. */
  resume(): void {
    try {
      if (FlowEvents.isLeft() || FlowLog.isThere(this.#logPath, this.#bootId)) this.prepare()
    } catch (error) {
      log('error', 'What flows of the fast path carry is not counted', { detail: messageOf(error) })
    }
  }

  /** Ahead of the first flow. Throws a KernelError where the kernel cannot. */
  prepare(): void {
    switchOn()
    if (this.#log) return
    const wasThere = FlowLog.isThere(this.#logPath, this.#bootId)
    const record = new FlowLog(this.#logPath, this.#bootId)
    this.#events = new FlowEvents((flow) => this.#end(flow))
    this.#log = record
    this.#hasGap = wasThere && !this.#events.isInherited
    if (this.#hasGap) this.#live = liveIn(readOrEmpty(this.#livePath), record.head.epoch)
  }

  /** Null where no flow has been on the fast path since the last boot. */
  readonly read = sharedRead(async (): Promise<FastCounters | null> => {
    const record = this.#log
    if (!record) return null
    if (this.#monotonic() < this.#restsUntil) return this.#last
    const began = this.#monotonic()
    switchOn()
    this.#forgetEnded()
    this.#socket ??= new NetlinkSocket({ protocol: NETLINK_NETFILTER })
    const found = await this.#decode(await this.#socket.dump(dumpByMark(ruleMark(0, 0, true), FAST_MASK)))
    while (this.#events?.take(BURST)) await turn()
    this.#merge(record, found)
    this.#restsUntil = this.#monotonic() + REST_FACTOR * (this.#monotonic() - began)
    return (this.#last = this.#sums(record))
  })

  async #decode(messages: readonly Message[]): Promise<FastFlow[]> {
    const found: FastFlow[] = []
    for (let at = 0; at < messages.length; at += BURST) {
      for (const one of messages.slice(at, at + BURST)) found.push(...[fastFlow(one) ?? []].flat())
      await turn()
    }
    return found
  }

  /** Each flow is in the sums of those that ended, or among those that live, and in no moment in both. */
  #merge(record: FlowLog, found: readonly FastFlow[]): void {
    const now = this.#monotonic()
    const live = new Map<string, Live>()
    for (const one of found) if (!this.#ended.has(one.key)) live.set(one.key, { ...one, missing: null })
    for (const [key, one] of this.#live) {
      if (live.has(key)) continue
      const missing = one.missing ?? now
      if (this.#hasGap || now - missing > UNSEEN_MS) record.lose(one)
      else live.set(key, { ...one, missing })
    }
    this.#hasGap = false
    this.#live = live
    if (!this.#events?.isKept) this.#save(record)
  }

  #end(event: Message): void {
    const flow = fastFlow(event)
    if (!flow || !this.#log) return
    this.#ended.set(flow.key, this.#monotonic())
    if (this.#ended.size > ENDED_MAX) this.#forgetEnded()
    this.#live.delete(flow.key)
    if (!this.#log.isWritten(flow)) this.#log.ended(flow)
  }

  /** A listing under way takes no longer. */
  #forgetEnded(): void {
    const before = this.#monotonic() - LISTING_MS
    for (const [key, at] of this.#ended) if (at < before) this.#ended.delete(key)
  }

  #sums({ head, sums, lost }: FlowLog): FastCounters {
    const all = new Map(sums)
    for (const one of this.#live.values()) addTo(all, one)
    return {
      epoch: head.epoch,
      detail: lost > 0 ? message('root.fast_path_lost', { count: lost }).message : '',
      counters: [...all.values()].sort((a, b) => a.route_rule_id - b.route_rule_id),
    }
  }

  /** For a helper that starts without the socket of this one. */
  #save({ head }: FlowLog): void {
    const lines = [...this.#live.values()].map((one) => JSON.stringify(one))
    const fresh = `${this.#livePath}.new-${process.pid}`
    writeFileSync(fresh, [head.epoch, ...lines, ''].join('\n'), { mode: 0o600 })
    renameSync(fresh, this.#livePath)
  }

  close(): void {
    if (this.#log) this.#save(this.#log)
    this.#events?.close()
    this.#log?.close()
    this.#log = null
  }
}

/** Turns accounting on. Boot or another program may have turned it off; a flow that began without it is not counted. */
function switchOn(): void {
  for (const path of SWITCHES)
    try {
      if (readFileSync(path, 'utf8').trim() !== '1') writeFileSync(path, '1\n')
    } catch (error) {
      const code = errorCode(error) ?? 'EIO'
      throw new KernelError(code, message('root.not_set', { file: path, error: code }).message)
    }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What cannot be made out ends unseen, as does what began while no helper was there. */
export function liveIn(content: string, epoch: string): Map<string, Live> {
  const [of, ...lines] = content.split('\n').filter((line) => line !== '')
  const flows = of === epoch ? lines.flatMap((line) => liveFlow(line) ?? []) : []
  return new Map(flows.map((one) => [one.key, one]))
}

function liveFlow(line: string): Live | null {
  try {
    const flow = JSON.parse(line) as Live
    return isCounted(flow) && typeof flow.key === 'string' ? flow : null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}
