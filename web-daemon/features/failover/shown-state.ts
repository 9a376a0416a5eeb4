// The state of a destination as a person is shown it: what its checks say, or that it was taken out by hand.
import type { ShownState } from '@panel/shared/api/routes/check.ts'
import type { DestinationRecord } from '../routes/record.ts'

type Known = Pick<DestinationRecord, 'drained_until' | 'state'>

export const isDrained = ({ drained_until }: Pick<Known, 'drained_until'>): boolean => drained_until !== null

export const shownState = (one: Known): ShownState => (isDrained(one) ? 'drained' : one.state)
