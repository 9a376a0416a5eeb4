// What the API answers about the networks that have a tunnel as a path (decisions.md, T36).
import type { Static } from '../../schema.ts'
import { described, Flag, Id, Sentence, shape } from '../base/shapes.ts'

/** What a tunnel shows of a network that it is a path of. */
export const DependentNetwork = shape('DependentNetwork', {
  network_id: Id,
  network_title: Sentence,
  destination: Sentence,
  is_enabled: Flag,
  is_only_path: described(Flag, 'Whether the network has no other path.'),
})
export type DependentNetwork = Static<typeof DependentNetwork>
