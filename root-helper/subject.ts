// One noun that root can change: how to see it, what to do about it, and when not to.
import type { Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'

/** Behind `canonical`, every state is canonical. `F` is what a probe finds besides the state. */
export interface Subject<S, F extends { state: S | null }, Step extends { kind: string }> {
  readonly noun: string
  canonical(state: S | null): S | null
  probe(change: Change<S>): Promise<F>
  /**
   * The change with what the kernel drops on the way there and the plan is to put back; where the change is kept, also
   * what later changes could drop. The journal holds it so, and nobody requests it.
   */
  carry?(change: Change<S>, isKept: boolean): Promise<Change<S>>
  plan(found: S | null, wanted: S | null): readonly Step[]
  /** Another way to `wanted` after the first has failed, with what is to be there then; null if there is none. */
  otherWay?(
    change: Change<S>,
    wanted: S | null,
    failed: FailedWay,
  ): Promise<{ readonly wanted: S | null; readonly steps: readonly Step[] } | null>
  check(change: Change<S>, wanted: S | null, found: S | null): Check[]
  /** Throws a RefusedError if root never does this, for any client. */
  allow(change: Change<S>, found: F, steps: readonly Step[]): Promise<void>
  /**
   * Throws unless the way back from `after` can be planned, is allowed, and is accepted by the kernel as far as that
   * can be found out without going there.
   */
  rehearse(change: Change<S>, found: F): Promise<void>
  execute(step: Step): Promise<void>
  /** The steps are done and the host was read back: for what is due then and no part of the state. Never throws. */
  arrived?(steps: readonly Step[]): Promise<void>
  /** Before a change is undone: notes as the panel's what it made, as far as it was cut short before it could. */
  recall?(change: Change<S>): Promise<void>
  /** What a person can do where the change and its undoing both failed. */
  remedy(change: Change<S>): string[]
}

export interface FailedWay {
  readonly steps_done: readonly string[]
  /** "" where the host was not as it should be then. */
  readonly failed_step: string
}

/** Holds the change under way, so that a helper that was killed puts the host back when it starts again. */
export interface Journal {
  /** Whether changes are kept beyond their end, and so need a way back that is known to work. */
  isKept(): boolean
  begin(noun: string, change: Change<unknown>): Promise<void>
  /** `holds`: whether the host holds what was wanted, or what it held before. */
  end(holds: boolean): Promise<void>
}
