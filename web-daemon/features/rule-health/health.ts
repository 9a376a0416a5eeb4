// The health of rules: the causes by which each does not relay, how bad that is, and what proves that it does
// (decisions.md, S7, S21, S22).
import type { RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import type { Proof } from '@panel/shared/api/routes/causes.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { fastPathView } from '../routes/fast-path.ts'
import type { RouteRecord } from '../routes/record.ts'
import { shownState } from '../failover/shown-state.ts'
import { takersOf } from '../failover/takers.ts'
import { carriedOutAlike, readCarriedOut, type CarriedOut } from './carried-out.ts'
import { causeView, severityBy, stateBy, type Cause } from './cause.ts'
import { causesOf } from './causes.ts'
import { readFacts, type AlreadyRead, type RuleFacts } from './facts.ts'
import type { Proofs } from './proofs.ts'

/** A rule with everything that its health is made of. */
export interface Judged {
  readonly record: RouteRecord
  readonly facts: RuleFacts
  readonly causes: readonly Cause[]
  readonly proof: Proof
  readonly state: RouteHealthView['state']
  readonly severity: RouteHealthView['severity']
  /** The cause that the state comes from; null if there is none. */
  readonly headline: Cause | null
  /** Why it is in that state. */
  readonly sentence: Message
}

type Context = Pick<ReadContext, 'db' | 'request'>

export async function judgeRules(
  context: Context,
  proofs: Proofs,
  records: readonly RouteRecord[],
  read: AlreadyRead = {},
): Promise<Judged[]> {
  if (records.length === 0) return []
  const [factsOf] = await Promise.all([readFacts(context, proofs, records, read), proofs.loaded()])
  return records.map((record) => {
    const facts = factsOf(record)
    const causes = causesOf(record, facts)
    const proof = proofs.of(record, facts)
    return { record, facts, causes, proof, ...judge(record, causes, proof) }
  })
}

function judge(
  { is_enabled }: RouteRecord,
  causes: readonly Cause[],
  proof: Proof,
): Pick<Judged, 'state' | 'severity' | 'headline' | 'sentence'> {
  if (!is_enabled) return { state: 'disabled', severity: 'ok', headline: null, sentence: message('health.disabled') }
  const { state, headline } = stateBy(causes)
  const isProven = proof.state === 'carrying' || proof.state === 'proven'
  return { state, severity: severityBy(causes, isProven), headline, sentence: sentenceOf(state, headline) }
}

function sentenceOf(state: Judged['state'], headline: Cause | null): Message {
  if (!headline) return message('health.as_stored')
  const isInDoubt = state === 'healthy' && headline.effect === 'may_stop'
  return isInDoubt ? message('health.as_stored_beside', { text: headline.sentence }) : headline.sentence
}

export async function readHealth(
  context: Context,
  proofs: Proofs,
  records: readonly RouteRecord[],
  read: AlreadyRead = {},
): Promise<RouteHealthView[]> {
  const judged = await judgeRules(context, proofs, records, read)
  const [first] = judged
  if (!first) return []
  const carriedOut = await readCarriedOut(context.request, records, first.facts.paths)
  return judged.map((one) => healthView(one, carriedOut))
}

export function healthView(
  { record, facts, causes, proof, state, severity, sentence }: Judged,
  carriedOut: CarriedOut,
): RouteHealthView {
  const { route_rule_id } = record
  const { held, tunnels } = facts
  const rule = held?.rules.get(route_rule_id)
  return {
    state,
    severity,
    proof,
    detail: sentence.message,
    detail_message: sentence,
    causes: causes.map(causeView),
    route_rule_id,
    installed: held?.is_readable ? rule !== undefined : null,
    tunnel: tunnels.find(({ is_up, is_known }) => is_known && !is_up) ?? tunnels[0] ?? null,
    destinations: destinationsOf(record, facts, (one) => carriedOut(rule, one)),
    carried_out_as: carriedOutAlike(rule, carriedOut),
    fast_path: fastPathView(record),
  }
}

function destinationsOf(
  record: RouteRecord,
  { paths, networkOf, tunnels }: Pick<RuleFacts, 'paths' | 'networkOf' | 'tunnels'>,
  carriedOut: (destination: RouteRecord['destinations'][number]) => string | null,
): RouteHealthView['destinations'] {
  const [takers, hops] = [takersOf(record), paths.hopsOf(record)]
  return record.destinations
    .filter(({ is_enabled }) => is_enabled)
    .map((one, at) => ({
      address: one.address,
      port: one.port,
      tunnel: tunnels.find(({ tunnel_id }) => tunnel_id === hops[at]) ?? null,
      network: networkOf(one.address),
      takes_connections: takers.includes(one),
      state: shownState(one),
      carried_out_as: carriedOut(one),
    }))
}
