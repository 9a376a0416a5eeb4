// Builds what the page shows, element by element: nothing that comes from the host is ever read as HTML.
import { abilities, componentWords, configuredWords, hostWords, overallWords, typeOf } from './words.js'

const el = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const SHAPES = {
  up: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z',
  degraded: 'M8 1l7.5 14H.5Z',
  down: 'M2 2h12v12H2Z',
  unknown: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm0 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z',
  disabled: 'M1 6h14v4H1Z',
}

/** A state as shape, colour and words; without a state, the words alone. */
const mark = ({ state, word }) => {
  const said = el('span', { className: `mark ${state ?? ''}` })
  if (state) said.append(shape(SHAPES[state]))
  said.append(word)
  return said
}

const shape = (outline) => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', outline)
  svg.setAttribute('viewBox', '0 0 16 16')
  svg.setAttribute('aria-hidden', 'true')
  svg.append(path)
  return svg
}

const row = ({ name, detail, ...words }) => el('li', {}, el('span', { className: 'name' }, name), mark(words), ...(detail ? [el('p', { className: 'quiet' }, detail)] : []))

export const showHealth = (health) => {
  document.querySelector('#state').replaceChildren(mark(overallWords(health)))
  document.querySelector('#health .rows').replaceChildren(...health.components.map(componentWords).map(row))
  const version = health.version ? `Version ${health.version}, as of` : 'As of'
  document.querySelector('#age').textContent = `${version} ${new Date(health.checked_at).toLocaleTimeString()}`
}

/** The rest of the page stays as it was last seen, and its age says when that was. */
export const showSilence = () => document.querySelector('#state').replaceChildren(mark({ state: 'unknown', word: 'Not known how the panel is' }))

export const showCapabilities = (found) => document.querySelector('#capabilities .rows').replaceChildren(...abilities(found).map(row))

export const showNoCapabilities = ({ message }) => document.querySelector('#capabilities .rows').replaceChildren(row({ name: 'What it can do', state: 'unknown', word: 'not known', detail: message }))

const COLUMNS = ['Tunnel', 'Endpoints', 'Configured', 'On the host']

export const showTunnels = ({ tunnels, total }) => {
  document.querySelector('#tunnels-title').textContent = total === tunnels.length ? `Tunnels (${total})` : `Tunnels (the first ${tunnels.length} of ${total})`
  const head = el('thead', {}, el('tr', { role: 'row' }, ...COLUMNS.map((title) => cell('th', 'columnheader', title, title))))
  const body = el('tbody', {}, ...tunnels.map(tunnelRow))
  const empty = el('p', {}, 'There is no tunnel yet. This page lists tunnels; they are created over the API.')
  document.querySelector('#tunnels .content').replaceChildren(total === 0 ? empty : el('table', { role: 'table' }, head, body))
}

export const showNoTunnels = ({ message }) => document.querySelector('#tunnels .content').replaceChildren(el('p', { className: 'trouble' }, message))

/** The roles are said once more because a phone lays the table out as cards, and a browser may then forget that it is a table. */
const cell = (tag, role, label, ...children) => {
  const made = el(tag, {}, ...children)
  made.setAttribute('role', role)
  made.dataset.label = label
  return made
}

const line = (text, className = '') => el('div', { className }, ...breakable(text))
const lines = (texts) => texts.map((text) => line(text, 'quiet'))

/** A long IPv6 address may be broken at its colons, and nowhere else. */
const breakable = (text) => text.split(/(?<=:)/).flatMap((part) => [document.createElement('wbr'), part]).slice(1)

const tunnelRow = (tunnel) => {
  const configured = configuredWords(tunnel)
  const host = hostWords(tunnel)
  const trouble = configured.trouble ? [mark({ state: 'degraded', word: configured.trouble })] : []
  return el('tr', { role: 'row' },
    cell('th', 'rowheader', COLUMNS[0], tunnel.interface_name, ...lines([typeOf(tunnel), tunnel.display_name].filter(Boolean))),
    cell('td', 'cell', COLUMNS[1], line(tunnel.local_endpoint), line(`→ ${tunnel.remote_endpoint}`)),
    cell('td', 'cell', COLUMNS[2], line(configured.word), ...trouble, ...lines(configured.facts)),
    cell('td', 'cell', COLUMNS[3], mark(host), ...lines(host.facts)))
}
