// How something that others take away is put back, as it is answered (decisions.md, S19).
import { nullable, type Static } from '../../schema.ts'
import { sentence } from './errors.ts'
import { Count, described, Flag, Instant, oneOf, shape, Text, Id } from './shapes.ts'

export const HealView = shape('Heal', {
  is_wanted: described(Flag, 'Whether the settings have it put back without a request.'),
  times: described(Count, 'How often it was found taken away or changed; a day of peace forgets.'),
  tries: described(Count, 'How often it was put back, or tried to.'),
  since: described(nullable(Instant), 'When it was first found so; null where it was not.'),
  next_try_at: described(nullable(Instant), 'Null where nothing waits to be put back.'),
  contested: described(Flag, 'Whether somebody takes it away again and again.'),
  last_by: described(Text, 'The program that did so last, and what started it; "" where that is not known.'),
  ...sentence('detail', 'Of something that is contested; "" of anything else.'),
})
export type HealView = Static<typeof HealView>

export const HealEvent = shape('HealEvent', {
  kind: oneOf(['tunnel', 'route']),
  id: Id,
  heal: HealView,
})
export type HealEvent = Static<typeof HealEvent>

export const HealResetAnswer = shape('HealReset', {
  reset: described(Count, 'Of how many tunnels and rules the pauses were forgotten.'),
  ...sentence('note'),
})
export type HealResetAnswer = Static<typeof HealResetAnswer>
