// The version and commit of this build.
import about from '../package.json' with { type: 'json' }

declare const PANEL_COMMIT: string | undefined
declare const PANEL_COMMIT_DATE: string | undefined

export const VERSION = about.version

/** "" if the program runs from source, or was built outside of a repository. */
export const BUILD = {
  version: VERSION,
  commit: typeof PANEL_COMMIT === 'string' ? PANEL_COMMIT : '',
  date: typeof PANEL_COMMIT_DATE === 'string' ? PANEL_COMMIT_DATE : '',
}
