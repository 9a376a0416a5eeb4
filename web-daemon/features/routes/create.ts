// Makes a rule: drafted, stored as pending, carried out, and read back (reference.md, POST /routes; decisions.md, S1).
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { create } from '../../change/engine.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { created, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changeAnswer } from './answer.ts'
import { changeOf, wantedOf } from './change.ts'
import { draftRoute } from './draft/draft.ts'
import { foreseeRules, foreseeSwitches } from './foreseen.ts'
import { preparePath } from './path/path-check.ts'
import { WITHOUT_PLAN, type ChangeDeps } from './foresee-causes.ts'

export async function foreseeCreation(context: ReadContext, incoming: Incoming<CreateRouteBody>): Promise<Foreseen> {
  const { record, warnings } = await draftRoute(context, incoming)
  return foreseeRules(context, { rules: [wantedOf(record, null)], records: [record], warnings })
}

export const createRoute =
  ({ traffic, foreseeCauses }: ChangeDeps) =>
  (context: CommandContext, incoming: Incoming<CreateRouteBody>): Promise<Answer<ChangeRouteAnswer>> =>
    context.inTurn(async () => {
      const { record: draft, warnings } = await draftRoute(context, incoming)
      const switches = await foreseeSwitches(context, [draft])
      const { resource, change, backend } = await changeOf(context, traffic, [wantedOf(draft, null)])
      const { record, outcome } = await create(context, resource, { draft, changes: [change] })
      const more = await preparePath(context, record)
      // A rule that is restored is answered without what its plan says.
      const causes = incoming.reviving === undefined ? foreseeCauses : WITHOUT_PLAN
      return created(
        await changeAnswer(context, causes, record, { change, backend, outcome, switches }, [...warnings, ...more]),
      )
    })
