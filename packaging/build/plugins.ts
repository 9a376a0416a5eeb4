// What the bundles need beyond plain bundling: validators as code, and native addons found beside the bundle.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import type { Plugin } from 'esbuild'
import { METHODS } from '@panel/shared/rpc/methods.ts'
import { AJV_OPTIONS, paramsSchemas } from '../../root-helper/params-schemas.ts'

const HERE = dirname(fileURLToPath(import.meta.url))

/** The helper's checks are generated here, so that root's process can forbid code generation. */
export function standaloneValidators(): Plugin {
  return {
    name: 'standalone-validators',
    setup(build) {
      // A namespace of its own: the generated code is CommonJS, in a package that is not.
      build.onResolve({ filter: /^\.\/validators\.ts$/ }, ({ path }) => ({ path, namespace: 'generated' }))
      build.onLoad({ filter: /.*/, namespace: 'generated' }, () => ({
        contents: validatorCode(),
        loader: 'js',
        resolveDir: HERE,
      }))
    },
  }
}

export function validatorCode(): string {
  const ajv = new Ajv({ ...AJV_OPTIONS, schemas: paramsSchemas(), code: { source: true } })
  const generate = standalone as unknown as (ajv: Ajv, references: Record<string, string>) => string
  const code = generate(ajv, Object.fromEntries(Object.keys(METHODS).map((name) => [name, name])))
  return `${code}\nexports.VALIDATORS = { ...exports };`
}

/** better-sqlite3 and bcrypt look for their addons in their own folders, which a bundle does not have. */
export function loadFromBeside(): Plugin {
  const finders: Record<string, string> = {
    bindings: "module.exports = (name) => require(require('node:path').join(__dirname, name))",
    'node-gyp-build': "module.exports = () => require(require('node:path').join(__dirname, 'bcrypt.node'))",
  }
  return {
    name: 'addons-beside-the-bundle',
    setup(build) {
      build.onResolve({ filter: /^(bindings|node-gyp-build)$/ }, ({ path }) => ({ path, namespace: 'beside' }))
      build.onLoad({ filter: /.*/, namespace: 'beside' }, ({ path }) => ({
        contents: finders[path] ?? '',
        loader: 'js',
      }))
    },
  }
}
