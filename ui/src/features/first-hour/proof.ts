// What proves that a relay works.
import type { RouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { isProven } from '../routes/effects.ts'

type Rule = Pick<RouteAnswer, 'route' | 'health'>

/** The rule that relayed last, if any has. */
export function latestProof<R extends { readonly health: Pick<Rule['health'], 'proof'> }>(
  rules: readonly R[],
): R | undefined {
  return rules
    .filter(({ health: { proof } }) => isProven(proof) && proof.at !== null)
    .toSorted((a, b) => (b.health.proof.at ?? '').localeCompare(a.health.proof.at ?? ''))[0]
}
