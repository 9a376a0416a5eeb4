// How a tab says which server it shows; pure, for tests.
import type { Glance } from '../core/attention.ts'
import type { DisplaySettings, ServerColour } from '../core/format.ts'

/** The operator's name for it, or the name in the address; "" where that names the browser's own computer. */
export const serverName = (settings: Pick<DisplaySettings, 'display.server_name'>, host: string): string =>
  settings['display.server_name'] || (isOwnComputer(host) ? '' : host)

const isOwnComputer = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

/**
 * The parts that there are, the most particular first: a narrow tab shows the beginning. That is the server where
 * something needs attention there.
 */
export const tabTitle = (page: string, server: string, panel: string, sign = ''): string => {
  const parts = sign === '' ? [page, server, panel] : [server, page, panel]
  return (sign === '' ? '' : `(${sign}) `) + parts.filter((part) => part !== '').join(' · ')
}

const GROUNDS: Readonly<Record<ServerColour, string>> = {
  blue: '0b5cad',
  green: '14713b',
  amber: 'a15c00',
  red: 'b3231b',
  purple: '6b3fa0',
  grey: '4d5866',
}

/** ApiMessage apart by shape as well, and ringed, since the server's colour may be the same. */
const MARKS: Readonly<Record<NonNullable<Glance['mark']>, string>> = {
  down: '<circle cx="23" cy="9" r="8" fill="#d92d20" stroke="#fff" stroke-width="2"/><path d="M23 5v5M23 12v2" stroke="#fff" stroke-width="2.5"/>',
  degraded: '<path d="M23 1l8 15H15z" fill="#f5a524" stroke="#fff" stroke-width="2"/>',
  unknown: '<circle cx="23" cy="9" r="7" fill="#fff" stroke="#4d5866" stroke-width="3"/>',
}

/** An image as a data: address. */
export const favicon = (colour: ServerColour, mark: Glance['mark'] = null): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#${GROUNDS[colour]}"/><path d="M6 21a10 10 0 0 1 20 0M11 21a5 5 0 0 1 10 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/>${mark === null ? '' : MARKS[mark]}</svg>`,
  )}`
