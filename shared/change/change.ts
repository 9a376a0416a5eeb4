// The one idea: a Change is a state before and a state after; everything the panel does to a host is planned from two
// states.
import { strict, nullable, type TSchema } from '../schema.ts'

/** Null is absent. */
export interface Change<S> {
  readonly before: S | null
  readonly after: S | null
}

export const changeSchema = <T extends TSchema>(state: T) => strict({ before: nullable(state), after: nullable(state) })

export const invert = <S>({ before, after }: Change<S>): Change<S> => ({ before: after, after: before })

/** States are compared in their canonical form, where equal states are equal text. */
export const sameState = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
