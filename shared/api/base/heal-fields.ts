// Whether one object of its own is put back by the panel itself, in the place of what the setting says of all.
import { nullable } from '../../schema.ts'
import { field } from './field-list.ts'
import { flag, maybe, orNull } from './fields.ts'
import { Flag } from './shapes.ts'

export const HEAL_FIELDS = {
  is_self_heal: field({
    answer: nullable(Flag),
    request: maybe(
      orNull(
        flag(
          'is_self_heal',
          'Whether the panel puts it back by itself where others change or remove it. Null: as system.self_heal says.',
        ),
      ),
    ),
    byDefault: null,
  }),
}
