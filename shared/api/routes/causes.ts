// Why a relay rule does not relay, or may not, as the API answers it: health, analysis, incidents, notifications and
// metrics take all they say of a rule from one list of causes (decisions.md, S21).
import { nullable, type Static } from '../../schema.ts'
import { MessageView } from '../base/errors.ts'
import { CAUSE_CODES, EFFECTS, HOPS, PROOF_STATES, PROVEN_BY } from './cause-codes.ts'
import { described, Instant, list, oneOf, shape, Text } from '../base/shapes.ts'

export const Remedy = shape('Remedy', {
  text: Text,
  text_message: MessageView,
  commands: described(
    list(Text),
    'Lines to run as they are, on this server unless the text names another, in order; none if it takes no command.',
  ),
})
export type Remedy = Static<typeof Remedy>

export const Cause = shape('Cause', {
  code: oneOf(CAUSE_CODES),
  hop: oneOf(HOPS),
  effect: oneOf(EFFECTS),
  detail: Text,
  detail_message: MessageView,
  remedies: described(list(Remedy), 'What takes the cause away; each is needed.'),
})
export type Cause = Static<typeof Cause>

export const Proof = shape('Proof', {
  state: described(
    oneOf(PROOF_STATES),
    'carrying: in the last interval packets went to the destination and back. proven: earlier, by what "by" says. one_way: packets go to the destination and none comes back. unproven: neither, since the rule, its path or a link on it last changed.',
  ),
  at: described(nullable(Instant), 'When it was last proven; null: never, as it is now.'),
  by: nullable(oneOf(PROVEN_BY)),
})
export type Proof = Static<typeof Proof>
