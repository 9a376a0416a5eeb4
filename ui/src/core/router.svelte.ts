// Client-side router: history under the web path, lazy pages, and query parameters as state.
import type { Component } from 'svelte'
import { messages } from './i18n.svelte.ts'
import { base_path } from './panel.ts'
import { matchRoute, type Match, type Route } from './routes.ts'

type Params = Readonly<Record<string, string>>
type PageComponent = Component<{ params: Params }>

const PAGES = import.meta.glob<PageComponent>('../features/*/*Page.svelte', { import: 'default' })

const PAUSE_MS = 200

interface Shown {
  readonly route: Route
  readonly params: Params
  readonly Page: PageComponent
}

class Router {
  /** The current page; the previous one stays until the next has loaded. */
  shown = $state.raw<Shown | null>(null)
  isLoading = $state(false)
  isUnknown = $state(false)
  failure = $state.raw<Error | null>(null)
  search = $state.raw(new URLSearchParams(location.search))
  path = $state(pathNow())
  /** Resolves to whether the page may be left. */
  guard: (() => Promise<boolean>) | null = null
  #visits = 0
  /** Runs while the operator is typing. */
  #pause: ReturnType<typeof setTimeout> | undefined

  begin(): void {
    addEventListener('popstate', () => this.#return())
    addEventListener('pagehide', () => this.#endPause())
    document.addEventListener('click', (event) => this.#followLink(event))
    void this.#arrive()
  }

  /** Navigates to a page address, such as `/tunnels?q=state:down`. */
  async go(to: string, { replace = false } = {}): Promise<void> {
    if (this.guard && !(await this.guard())) return
    this.guard = null
    this.#endPause()
    history[replace ? 'replaceState' : 'pushState'](null, '', href(to))
    await this.#arrive()
  }

  /**
   * Updates query parameters in place; "" removes one. Writes the first change at once and the rest after a pause,
   * because browsers rate-limit replaceState.
   */
  setSearch(values: Readonly<Record<string, string>>): void {
    const search = new URLSearchParams(this.search)
    for (const [name, value] of Object.entries(values)) {
      if (value === '') search.delete(name)
      else search.set(name, value)
    }
    this.search = search
    if (this.#pause === undefined) this.#writeSearch()
    this.#forgetPause()
    this.#pause = setTimeout(() => this.#endPause(), PAUSE_MS)
  }

  /** Like `setSearch`, as a step that "back" undoes. */
  pushSearch(values: Readonly<Record<string, string>>): void {
    this.#endPause()
    history.pushState(null, '', location.href)
    this.setSearch(values)
  }

  #writeSearch(): void {
    const text = this.search.toString().replaceAll('%3A', ':')
    const query = text === '' ? '' : `?${text}`
    if (query !== location.search) history.replaceState(null, '', `${location.pathname}${query}`)
  }

  /** A step within the page leaves focus and scroll where they are. */
  #return(): void {
    const isSamePage = pathNow() === this.path && !this.isLoading
    if (!isSamePage) return void this.#arrive()
    this.#forgetPause()
    this.search = new URLSearchParams(location.search)
  }

  #endPause(): void {
    if (this.#pause === undefined) return
    this.#forgetPause()
    this.#writeSearch()
  }

  #forgetPause(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
  }

  async #arrive(): Promise<void> {
    this.#forgetPause()
    const visit = ++this.#visits
    const match = matchRoute(pathNow())
    this.path = pathNow()
    this.search = new URLSearchParams(location.search)
    this.isUnknown = match === null
    this.failure = null
    if (!match) return
    this.isLoading = true
    try {
      const shown = await load(match)
      if (visit === this.#visits) this.shown = shown
    } catch (failure) {
      if (visit === this.#visits) this.failure = failure instanceof Error ? failure : new Error(String(failure))
    } finally {
      if (visit === this.#visits) this.isLoading = false
    }
  }

  #followLink(event: MouseEvent): void {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (
      !link ||
      link.target !== '' ||
      link.hasAttribute('download') ||
      link.origin !== location.origin ||
      !link.pathname.startsWith(base_path)
    )
      return
    if (link.pathname.startsWith(`${base_path}api/`) || (link.hash !== '' && link.pathname === location.pathname))
      return
    event.preventDefault()
    void this.go(`${link.pathname.slice(base_path.length - 1)}${link.search}`)
  }
}

const load = async ({ route, params }: Match): Promise<Shown> => {
  const [Page] = await Promise.all([PAGES[`../features/${route.page}.svelte`]?.(), messages.load(route.areas)])
  if (!Page) throw new Error(`there is no page ${route.page}`)
  return { route, params, Page }
}

/** The path below the web path, with a leading slash. */
function pathNow(): string {
  return `/${decodeURI(location.pathname).slice(base_path.length)}`
}

/** URL of a page, for `<a href>`. */
export const href = (to: string): string => base_path + to.replace(/^\//, '')

export const router = new Router()
