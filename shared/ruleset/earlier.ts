// Rules that an earlier version wrote to a file, as this one knows them. Pure.
import { IN_ROTATION, type RelayDestination, type RelayRule } from './model.ts'

/** Without a rotation, and never closed. */
type EarlierDestination = Omit<RelayDestination, keyof typeof IN_ROTATION> & Partial<RelayDestination>
export type EarlierRule = Omit<RelayRule, 'destinations' | 'is_closed'> & {
  readonly destinations: readonly EarlierDestination[]
  readonly is_closed?: boolean
}

export const currentRule = (rule: EarlierRule): RelayRule => ({
  ...rule,
  is_closed: rule.is_closed ?? false,
  destinations: rule.destinations.map((one) => ({ ...one, ...IN_ROTATION, ...one })),
})
