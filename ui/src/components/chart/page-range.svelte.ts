// The time range of the page that is open: kept in its address, and changed by steps that "back" undoes.
import { now } from '../../core/clock.svelte.ts'
import { router } from '../../core/router.svelte.ts'
import type { TimeRange } from './plot.ts'
import { bounded, chosenRange, searchOf, zoomed, type ChosenRange, type Preset } from './range.ts'

const seconds = (): number => now().getTime() / 1000

/** Reading it in a component follows the clock. */
export const pageRange = (): ChosenRange => chosenRange(router.search, seconds())

export const choosePreset = (preset: Preset): void => router.pushSearch(searchOf(preset))

export const chooseRange = (range: TimeRange): void => router.pushSearch(searchOf(bounded(range, seconds())))

export const zoom = (times: number): void => router.pushSearch(searchOf(zoomed(pageRange(), times, seconds())))
