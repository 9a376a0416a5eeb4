// What the bundles need beyond plain bundling: validators as code and no schemas in root, and native addons found beside
// the bundle.
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import type { Plugin } from 'esbuild'
import * as methods from '@panel/shared/rpc/methods.ts'
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
  const code = generate(ajv, Object.fromEntries(Object.keys(methods.METHODS).map((name) => [name, name])))
  return `${code}\nexports.VALIDATORS = { ...exports };`
}

/** `export const X = strict({...})`, up to the end of its last line: as Prettier writes it. */
const COMPUTED = /^((?:export )?const \w+ = )((?:[A-Za-z]\w*[.(]|\{).*(?:\n+(?=[ )\]}]).*)*)/gm

/**
 * The checks are generated, so root reads no schema when it runs. shared computes and never acts, so what nobody reads of
 * a module with schemas is left out; a schema that is read brings TypeBox into the bundle, and the tests fail.
 */
export function withoutSchemas(): Plugin {
  return {
    name: 'without-schemas',
    setup(build) {
      build.onLoad({ filter: /\/shared\/rpc\/methods\.ts$/ }, () => ({ contents: effectsCode(), loader: 'js' }))
      build.onLoad({ filter: /\/shared\/.*\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (!text.includes("/schema.ts'")) return null
        return { contents: text.replace(COMPUTED, '$1/* @__PURE__ */ (() => ($2))()'), loader: 'ts' }
      })
    },
  }
}

/** All that methods.ts exports, with nothing but the effect of each method. */
function effectsCode(): string {
  const effects = Object.fromEntries(Object.entries(methods.METHODS).map(([name, { effect }]) => [name, { effect }]))
  return Object.entries({ ...methods, METHODS: effects })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
    .join('\n')
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
