// Data that the web daemon embeds in the page: paths and display settings.
import type { DisplaySettings } from './format.ts'

declare global {
  interface Window {
    readonly __PANEL__: { readonly base_path: string; readonly api_base_path: string }
  }
}

/** Paths; `base_path` ends in a slash. */
export const { base_path, api_base_path } = window.__PANEL__

/** The display settings that differed from the defaults when the page was sent. */
export const sentDisplay = (): Partial<DisplaySettings> =>
  JSON.parse(document.documentElement.dataset['display'] ?? '{}') as Partial<DisplaySettings>
