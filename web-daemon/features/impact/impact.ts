// What a foreseen change would do to what goes on now (reference.md, Impact; decisions.md, I1-I5).
import { impactOf } from '@panel/shared/impact/impact.ts'
import type { ReadImpact } from '../../platform/impact.ts'
import { gatherFacts, type ImpactDeps } from './facts.ts'

export const makeImpact =
  (deps: ImpactDeps): ReadImpact =>
  async (context, foreseen, asking) =>
    impactOf(foreseen, await gatherFacts(context, deps, foreseen, asking))
