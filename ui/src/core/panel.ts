// What the web daemon wrote into the page: where it lies, and how the operator wants to be shown things.
import type { DisplaySettings } from './format.ts'

declare global {
  interface Window {
    readonly __PANEL__: { readonly base_path: string; readonly api_base_path: string }
  }
}

/** Both as paths; `base_path` ends in a slash. */
export const { base_path, api_base_path } = window.__PANEL__

/** The settings of the category display as they were when the page was sent. */
export const sentDisplay = (): DisplaySettings =>
  JSON.parse(document.documentElement.dataset['display'] ?? '{}') as DisplaySettings
