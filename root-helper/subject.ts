// One noun that root can change: how to see it, what to do about it, and when not to.
import type { Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'

/** States are canonical everywhere behind `canonical`. `F` is what a probe finds beside the state. */
export interface Subject<S, F extends { state: S | null }, Step extends { kind: string }> {
  readonly noun: string
  canonical(state: S | null): S | null
  /** A state as the journal of this version or an earlier one holds it; where it is left out, it is a state as it stands. */
  fromJournal?(state: unknown): S | null
  probe(change: Change<S>): Promise<F>
  plan(found: S | null, wanted: S | null): readonly Step[]
  check(change: Change<S>, wanted: S | null, found: S | null): Check[]
  /** Throws a RefusedError where root does not do this, whoever asks. */
  allow(change: Change<S>, found: F, steps: readonly Step[]): Promise<void>
  execute(step: Step): Promise<void>
  /** What a person can do where the change and its undoing both failed. */
  remedy(change: Change<S>): string[]
}

/** Holds the change under way, so that a helper that was killed puts the host back when it starts again. */
export interface Journal {
  begin(noun: string, change: Change<unknown>): Promise<void>
  end(): Promise<void>
}
