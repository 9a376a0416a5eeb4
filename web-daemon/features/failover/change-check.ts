// How the destinations of a rule are checked is a part of the rule, and is changed as every part of it.
import type { ChangeCheckAnswer, PutRouteCheckBody, RouteCheckAnswer } from '@panel/shared/api/routes/check.ts'
import type { RouteWordBody } from '@panel/shared/api/routes/bodies.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import type { UpdateRequest } from '../routes/draft/update.ts'
import { requireRoute, targetOf } from '../routes/target.ts'
import { storedRoute } from '../routes/store.ts'
import type { Accounting } from '../routes/accounting.ts'
import { WITHOUT_PLAN } from '../routes/foresee-causes.ts'
import { amend, foreseeAmendment } from '../routes/update.ts'
import type { Failover } from './failover.ts'
import { checkAnswer } from './view.ts'

export const showCheck =
  (failover: Failover) =>
  async (context: ReadContext, { params }: Incoming): Promise<Answer<RouteCheckAnswer>> =>
    ok(await checkAnswer(context, failover, await requireRoute(context.db, params)))

const unprefixed = (field: string): string => (field.startsWith('check.') ? field.slice('check.'.length) : field)

function toPut({ body, problems, panelPorts }: Incoming<PutRouteCheckBody>): UpdateRequest {
  const { i_understand_i_may_lose_access: _accepts, ...check } = body
  return { body: { check }, problems, panelPorts, mapField: unprefixed }
}

const toRemove = ({ problems, panelPorts }: Incoming<RouteWordBody>): UpdateRequest => ({
  body: { check: null },
  problems,
  panelPorts,
})

type Requested<B> = (incoming: Incoming<B>) => UpdateRequest

const change =
  <B>(requested: Requested<B>) =>
  (failover: Failover, traffic: Accounting) =>
  (context: CommandContext, incoming: Incoming<B>): Promise<Answer<ChangeCheckAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, incoming.params)
      const deps = { traffic, foreseeCauses: WITHOUT_PLAN }
      const { warnings } = await amend(context, deps, stored, requested(incoming))
      const record = await storedRoute(context.db, stored.route_rule_id)
      return ok({ ...(await checkAnswer(context, failover, record)), warnings })
    })

const foresee =
  <B>(requested: Requested<B>) =>
  async (context: ReadContext, incoming: Incoming<B>): Promise<Foreseen> =>
    foreseeAmendment(context, await requireRoute(context.db, incoming.params), requested(incoming))

export const [putCheck, foreseePut] = [change(toPut), foresee(toPut)]
export const [removeCheck, foreseeRemoval] = [change(toRemove), foresee(toRemove)]
