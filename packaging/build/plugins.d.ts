import type { Plugin } from 'esbuild';
/** The helper's checks are generated here, so that root's process can forbid code generation. */
export declare function standaloneValidators(): Plugin;
/** better-sqlite3 and bcrypt look for their addons in their own folders, which a bundle does not have. */
export declare function loadFromBeside(): Plugin;
