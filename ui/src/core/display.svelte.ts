// The display settings, stored on the server, and their effect on the document.
import { DEFAULT_DISPLAY, formatter, type DisplaySettings, type Language, type Theme } from './format.ts'
import { call } from './api.ts'
import { messages } from './i18n.svelte.ts'
import { sentDisplay } from './panel.ts'
import { invalidate } from './query.svelte.ts'

class Display {
  #settings = $state.raw<DisplaySettings>({ ...DEFAULT_DISPLAY, ...sentDisplay() })
  readonly format = $derived(formatter(this.#settings, navigator.languages))

  constructor() {
    messages.number = (value) => this.format.number(value, 2)
    messages.instant = (at) => this.format.instant(at)
  }

  get settings(): DisplaySettings {
    return this.#settings
  }
  get language(): Language {
    return this.#settings['display.language']
  }
  get theme(): Theme {
    return this.#settings['display.theme']
  }

  /** Applies the settings without storing them. */
  async take(settings: Partial<DisplaySettings>): Promise<void> {
    const language = settings['display.language']
    if (language !== undefined) await messages.use(language)
    this.#settings = { ...this.#settings, ...settings }
    const { documentElement: root } = document
    root.dataset['theme'] = this.theme
    root.lang = this.language
    root.dir = this.language === 'fa' ? 'rtl' : 'ltr'
  }

  /** Without a session the choice lasts as long as the page. */
  async choose(settings: Partial<DisplaySettings>, isSignedIn: boolean): Promise<void> {
    await this.take(settings)
    if (!isSignedIn) return
    await call('PUT /settings', { body: settings })
    await invalidate('/settings')
  }
}

export const display = new Display()
