// Carries out what the panel moves tunnels to by itself (decisions.md, T48, T49): a move that is refused is reported
// once, and what is wrong is stored with the tunnel.
import type { Logger } from 'pino'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { attempt } from '../../../change/attempt.ts'
import type { PanelAction } from '../../../change/remediate.ts'
import { AuditNote } from '../../../platform/audit-note.ts'
import type { CommandContext } from '../../../platform/context.ts'
import { asMessage } from '../../../platform/http/refusal.ts'
import { named, type TunnelRecord } from '../record.ts'
import { storeEndProblem, type EndProblem } from '../store-far-end.ts'
import { moveEnds, type Lead } from './move.ts'

export interface MoveDeps {
  readonly context: Omit<CommandContext, 'note'>
  readonly record: (action: PanelAction) => Promise<void>
  readonly logger: Logger
}

/** A move that was refused. */
interface Refused {
  readonly to: string
  readonly why: string
  readonly tried_at: number
  /** Root refused it, which marks the record. */
  readonly hasBegun: boolean
}

export interface Moving {
  readonly lead: Lead
  /** What it is to be moved to, in words that are compared. */
  readonly to: string
  readonly problem: (why: Message) => Message
}

export class Moves {
  readonly #deps: MoveDeps
  readonly #action: AuditAction
  readonly #field: EndProblem
  readonly #refused = new Map<number, Refused>()
  #writing: number | null = null

  constructor(deps: MoveDeps, action: AuditAction, field: EndProblem) {
    this.#deps = deps
    this.#action = action
    this.#field = field
  }

  /** The tunnel that is being written: what is published of it meanwhile is no reason to try again. */
  get writing(): number | null {
    return this.#writing
  }

  /** The tunnels whose last move was refused. */
  get refused(): number[] {
    return [...this.#refused.keys()]
  }

  forget(tunnel_id: number): void {
    this.#refused.delete(tunnel_id)
  }

  /** Whether what root refused is tried again too early; it waits that many seconds. */
  isTooEarly(tunnel_id: number, to: string, wait_s: number): boolean {
    const refused = this.#refused.get(tunnel_id)
    return refused?.to === to && refused.hasBegun && this.#now < refused.tried_at + wait_s * 1000
  }

  get #now(): number {
    return this.#deps.context.now().getTime()
  }

  /** Returns why the tunnel does not follow. */
  async move(record: TunnelRecord, { lead, to, problem: problemOf }: Moving): Promise<Message | null> {
    const { context, logger, record: writeEntry } = this.#deps
    const { tunnel_id } = record
    const note = new AuditNote()
    note.target('tunnel', tunnel_id)
    let hasBegun = false
    const { failure, refusal, duration_ms } = await this.#writes(tunnel_id, () =>
      attempt(() => context.inTurn(() => moveEnds({ ...context, note }, { tunnel_id, lead }, () => (hasBegun = true)))),
    )
    const problem = refusal && problemOf(asMessage(refusal))
    const isNews = problem === null ? hasBegun : this.#refused.get(tunnel_id)?.why !== problem.message
    if (problem === null) this.forget(tunnel_id)
    else {
      this.#refused.set(tunnel_id, { to, why: problem.message, tried_at: this.#now, hasBegun })
      if (isNews) logger.warn({ err: failure, tunnel_id }, problem.message)
      await this.report(record, problem)
    }
    if (isNews) await writeEntry({ action: this.#action, note, refusal, duration_ms })
    return problem
  }

  /** Stores what is wrong where that is another problem than before. */
  async report(record: TunnelRecord, problem: Message | null): Promise<void> {
    if (record[this.#field] === (problem?.message ?? '')) return
    const { context } = this.#deps
    await this.#writes(record.tunnel_id, async () => {
      await context.inTurn(() => storeEndProblem(context.db, record, this.#field, problem))
      context.publish('tunnel.updated', named(record))
    })
  }

  async #writes<T>(tunnel_id: number, work: () => Promise<T>): Promise<T> {
    this.#writing = tunnel_id
    try {
      return await work()
    } finally {
      this.#writing = null
    }
  }
}
