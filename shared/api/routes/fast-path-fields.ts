// Whether the established connections of one rule go past the chains, and why they do not.
import { nullable, strict } from '../../schema.ts'
import { field } from '../base/field-list.ts'
import { flag, maybe, orNull } from '../base/fields.ts'
import { described, Flag, oneOf } from '../base/shapes.ts'
import { sentence } from '../base/errors.ts'

export const FAST_PATH_STATES = ['off', 'on', 'unable'] as const
export type FastPathState = (typeof FAST_PATH_STATES)[number]

export const FAST_PATH_FIELDS = {
  is_fast_path: field({
    answer: nullable(Flag),
    request: maybe(
      orNull(
        flag(
          'is_fast_path',
          'Whether its established connections take the fast path, past the chains of every firewall. Null: as routes.fast_path says.',
        ),
      ),
    ),
    byDefault: null,
  }),
}

/** Stored with a rule and sent nowhere: what its own word, the setting and the host come to. */
export const FAST_PATH_STATE = {
  fast_path_state: field({ answer: oneOf(FAST_PATH_STATES), byDefault: 'off' as const }),
}

export const FastPathView = strict({
  is_active: described(Flag, 'New connections of the rule take the fast path.'),
  ...sentence('reason', 'Why they do not, or what that means.'),
})
