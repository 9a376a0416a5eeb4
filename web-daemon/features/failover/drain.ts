// Takes a destination out of rotation by hand, and puts it back (reference.md, POST
// /routes/{id}/destinations/{destination_id}/drain).
import type { ChangeCheckAnswer, DrainBody } from '@panel/shared/api/routes/check.ts'
import type { RouteWordBody } from '@panel/shared/api/routes/bodies.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { wantedOf } from '../routes/change.ts'
import { foreseeRules } from '../routes/foreseen.ts'
import { requireRoute, targetOf } from '../routes/target.ts'
import { rotationWarnings } from '../routes/rotation-warnings.ts'
import type { DestinationRecord, RouteRecord } from '../routes/record.ts'
import type { Accounting } from '../routes/accounting.ts'
import { drainedRecord, FOR_EVER, setDrained } from './drains.ts'
import type { Failover } from './failover.ts'
import { checkAnswer } from './view.ts'

function destinationIn(stored: RouteRecord, params: Incoming['params']): DestinationRecord {
  const found = stored.destinations.find((one) => one.route_destination_id === params['destination_id'])
  if (!found) throw new Refusal('NOT_FOUND', message('route.no_such_destination', { rule: ruleNamed(stored) }))
  return found
}

type Until<B> = (context: Pick<ReadContext, 'now'>, body: B) => string | null

const untilDrained: Until<DrainBody> = ({ now }, { for_seconds }) =>
  for_seconds == null ? FOR_EVER : new Date(now().getTime() + for_seconds * 1000).toISOString()
const untilReturned: Until<RouteWordBody> = () => null

const reasonOf = (until: string | null) =>
  until === null
    ? message('check.returned')
    : until === FOR_EVER
      ? message('check.drained')
      : message('check.drained_until', { until })

const change =
  <B>(untilOf: Until<B>) =>
  (failover: Failover, traffic: Accounting) =>
  (context: CommandContext, { params, body }: Incoming<B>): Promise<Answer<ChangeCheckAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, params)
      const destination = destinationIn(stored, params)
      const until = untilOf(context, body)
      const { record } = await setDrained(context, traffic, { stored, destination, until, reason: reasonOf(until) })
      return ok({ ...(await checkAnswer(context, failover, record)), warnings: rotationWarnings(record) })
    })

const foresee =
  <B>(untilOf: Until<B>) =>
  async (context: ReadContext, { params, body }: Incoming<B>): Promise<Foreseen> => {
    const stored = await requireRoute(context.db, params)
    const wanted = drainedRecord(stored, [destinationIn(stored, params).route_destination_id], untilOf(context, body))
    return foreseeRules(context, {
      rules: [wantedOf(wanted, stored)],
      records: [],
      warnings: rotationWarnings(wanted),
    })
  }

export const [drain, foreseeDrain] = [change(untilDrained), foresee(untilDrained)]
export const [putBack, foreseeReturn] = [change(untilReturned), foresee(untilReturned)]
