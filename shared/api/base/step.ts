// One step of a plan, as the operator is shown it.
import { Type, type Static } from '../../schema.ts'
import { MessageIdentity } from './errors.ts'
import { list, Sentence, shape, Text } from './shapes.ts'

export const StepView = shape('Step', {
  kind: Sentence,
  description: Sentence,
  ...MessageIdentity,
  argv: Type.Optional(list(Text)),
  path: Type.Optional(Text),
})
export type StepView = Static<typeof StepView>
