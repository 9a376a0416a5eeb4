// Results of the command palette: pages and what can be done at once, and objects by whatever they are known by.
import { isolate } from '@panel/shared/messages/format.ts'
import type { ListPoolsAnswer } from '@panel/shared/api/pools.ts'
import type { SettingEntry } from '@panel/shared/api/settings.ts'
import { call } from './api.ts'
import { display } from './display.svelte.ts'
import type { Theme } from './format.ts'
import { messages, t } from './i18n.svelte.ts'
import { router } from './router.svelte.ts'
import { ROUTES } from './routes.ts'
import { folded } from './search.ts'
import { tunnelText } from './tunnel-names.ts'

export interface Place {
  readonly id: string
  readonly title: string
  readonly note: string
  readonly open: () => unknown
}

type Kind = 'page' | 'action' | 'tunnel' | 'route' | 'pool' | 'setting'
const MOST = 8
const THEMES: readonly Theme[] = ['system', 'light', 'dark']

/** An address keeps its order among Persian words. */
const inOrder = (detail: string): string => (detail !== '' && display.language === 'fa' ? isolate(detail) : detail)

const note = (kind: Kind, detail = ''): string =>
  [t(`palette.kind.${kind}`), inOrder(detail)].filter(Boolean).join(' · ')
const place = (kind: Kind, to: string, title: string, detail?: string): Place => ({
  id: to,
  title,
  note: note(kind, detail),
  open: () => router.go(to),
})

/** A page that is a part of another one has its title. */
const isPlace = ({ path, title }: (typeof ROUTES)[number]): boolean =>
  !path.includes(':') && ROUTES.find((one) => one.title === title)?.path === path

/** Found without asking the server. */
export const fixedPlaces = (choose: (theme: Theme) => unknown): Place[] => [
  ...ROUTES.filter(isPlace).map(({ path, title }) => place('page', path, t(title))),
  place('action', '/tunnels/new?code', t('palette.paste')),
  ...THEMES.filter((theme) => theme !== display.theme).map((theme) => ({
    id: `theme ${theme}`,
    title: `${t('core.preferences.theme')}: ${t(`core.theme.${theme}`)}`,
    note: note('action'),
    open: () => choose(theme),
  })),
]

const holds = (text: string, ...parts: readonly string[]): boolean => folded(parts.join('\n')).includes(text)

/** What few words have found can be analyzed at once. */
const FEW = 3
const withAnalysis = (found: readonly Place[]): Place[] => [
  ...found,
  ...(found.length > FEW ? [] : found).map(({ id, title }) =>
    place('action', `${id}?analyze=1`, t('palette.analyze', { name: title })),
  ),
]

const tunnels = async (search: string): Promise<Place[]> =>
  withAnalysis(
    (await call('GET /tunnels', { query: { limit: MOST, search } })).tunnels.map((tunnel) =>
      place(
        'tunnel',
        `/tunnels/${tunnel.tunnel_id}`,
        tunnelText(tunnel),
        tunnel.remote_hostname ?? tunnel.remote_endpoint,
      ),
    ),
  )

const rules = async (search: string): Promise<Place[]> =>
  withAnalysis(
    (await call('GET /routes', { query: { limit: MOST, search } })).routes.map(({ route }) =>
      place(
        'route',
        `/routes/${route.route_rule_id}`,
        route.route_rule_title,
        `${route.bind_address}:${route.bind_port}`,
      ),
    ),
  )

let poolList: Promise<ListPoolsAnswer> | null = null
const pools = async (text: string): Promise<Place[]> =>
  (await (poolList ??= call('GET /pools'))).pools
    .filter((one) => holds(text, one.address_pool_title, one.cidr, one.description))
    .map((one) => place('pool', `/pools/${one.address_pool_id}/edit`, one.address_pool_title, one.cidr))

let settingList: Promise<readonly SettingEntry[]> | null = null
const settings = async (text: string): Promise<Place[]> => {
  settingList ??= Promise.all([call('GET /settings/schema'), messages.load(['settings'])]).then(
    ([answer]) => answer.settings,
  )
  return (await settingList)
    .map(({ key, description }) => ({ key, description, label: messages.find(`settings.key.${key}`, key) }))
    .filter(({ key, description, label }) => holds(text, key, description, label))
    .map(({ key, label }) => place('setting', `/settings?q=${key}`, label, key))
}

/** Lists that are read once for as long as the palette is open. */
export const forgetLists = (): void => {
  poolList = null
  settingList = null
}

export interface Found {
  readonly places: readonly Place[]
  /** Some of it could not be searched. */
  readonly failure: unknown
}

export const searchObjects = async (text: string): Promise<Found> => {
  const answers = await Promise.allSettled([tunnels, rules, pools, settings].map((search) => search(folded(text))))
  return {
    places: answers.flatMap((one) => (one.status === 'fulfilled' ? one.value.slice(0, MOST) : [])),
    failure: answers.find((one) => one.status === 'rejected')?.reason ?? null,
  }
}
