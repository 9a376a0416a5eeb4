// The version of this build, as its package names it.
import about from './package.json' with { type: 'json' }

export const VERSION = about.version
