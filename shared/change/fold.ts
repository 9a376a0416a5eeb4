// Many changes as one: of each part what stood there before the first, and what stands there after the last. Pure.
import type { Change } from './change.ts'

/** How a state divides into what changes by itself, such as one tunnel or one rule, each under a key. */
export interface Parts<S, P> {
  divide(state: S | null): ReadonlyMap<string, P>
  /** Null of no parts. */
  join(parts: readonly P[]): S | null
}

export type Fold<P> = ReadonlyMap<string, Change<P>>

/** The fold with one more change, which begins where those before it end. */
export function folded<S, P>(fold: Fold<P>, change: Change<S>, { divide }: Parts<S, P>): Fold<P> {
  const [before, after] = [divide(change.before), divide(change.after)]
  const touched = [...new Set([...before.keys(), ...after.keys()])].map((key): [string, Change<P>] => {
    const first = fold.get(key)
    return [key, { before: first ? first.before : (before.get(key) ?? null), after: after.get(key) ?? null }]
  })
  return new Map([...fold, ...touched])
}

/** The one change that a fold is, with its parts in the order of their keys: equal folds are equal text. */
export function unfolded<S, P>(fold: Fold<P>, { join }: Parts<S, P>): Change<S> {
  const sorted = [...fold].sort(([a], [b]) => (a < b ? -1 : 1))
  const side = (which: 'before' | 'after'): P[] => sorted.flatMap(([, change]) => change[which] ?? [])
  return { before: join(side('before')), after: join(side('after')) }
}
