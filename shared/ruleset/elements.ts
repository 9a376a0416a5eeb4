// How many elements of our table a rule takes, and how many there may be.
import { leadsOf } from './leads.ts'
import type { RelayRule } from './model.ts'
import { destinationSlots, drawnSlots, isShifted } from './slots.ts'

/**
 * nft cannot add, so each port of a shifted range is an element, for each slot that leads there. More than so many are
 * refused.
 */
export const SHIFTED_PORTS_MAX = 65_536

const boundPorts = ({ bind_port, bind_port_range_end }: RelayRule): number =>
  (bind_port_range_end ?? bind_port) - bind_port + 1

/** The number that there can be, whichever destinations go out: any one of them may have to take every slot. */
export function shiftedPortsAtMost(rule: RelayRule): number {
  return isShifted(rule) ? boundPorts(rule) * drawnSlots(rule) : 0
}

/** The number now, or when every destination is back in rotation, whichever is more. */
export function shiftedPorts(rule: RelayRule): number {
  const ports = boundPorts(rule)
  if (ports === 1) return 0
  const shifted = (destinations: readonly number[]): number =>
    destinations.filter((index) => rule.destinations[index]?.port !== rule.bind_port).length
  return ports * Math.max(shifted(leadsOf(rule)), shifted(destinationSlots(rule).slice(0, drawnSlots(rule))))
}

/**
 * The limit for all rules of a host. A reader of the table has all of it in memory; ten thousand plain rules are as
 * many elements.
 */
export const ELEMENTS_MAX = 131_072

/**
 * How much a rule adds to the table, beside the same few elements for each rule. That a slot has a second element while
 * its destination is out does not count: it must not stand in the way of a rotation.
 */
export function elementsOf(rule: RelayRule): number {
  return destinationSlots(rule).length + shiftedPorts(rule) + rule.allowed_sources.length
}
