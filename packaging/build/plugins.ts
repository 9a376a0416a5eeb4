// What the bundles need beyond plain bundling: in root validators as code, and neither schemas nor the sentences of
// other programs; native addons found beside the bundle.
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { transform, type Plugin } from 'esbuild'
import { CATALOGUE } from '@panel/shared/messages/catalogue.ts'
import { PHRASES } from '@panel/shared/messages/message.ts'
import * as methods from '@panel/shared/rpc/methods.ts'
import { AJV_OPTIONS, paramsSchemas } from '../../root-helper/params-schemas.ts'

const HERE = dirname(fileURLToPath(import.meta.url))
const ROOT = join(HERE, '../..')

/** The helper's checks are generated here, so that root's process can forbid code generation. */
export function standaloneValidators(): Plugin {
  return {
    name: 'standalone-validators',
    setup(build) {
      // A namespace of its own: the generated code is CommonJS, in a package that is not.
      build.onResolve({ filter: /^\.\/validators\.ts$/ }, ({ path }) => ({ path, namespace: 'generated' }))
      build.onLoad({ filter: /.*/, namespace: 'generated' }, async () => ({
        contents: await validatorCode(),
        loader: 'js',
        resolveDir: HERE,
      }))
    },
  }
}

/** What a check says of a fault beside where it is and what it is, which nothing in root reads. */
const UNREAD = /(?:schemaPath|keyword):"[^"]*",|params:\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\},/g
/** What a check hands on to another one for keywords that no schema here has. */
const UNUSED = /,\s*parentData(?::\w+)?,\s*parentDataProperty(?::[^,]+)?,\s*rootData(?:=data)?/g
const FAULT = /\[\{instancePath(?::(.+?))?,message:(.+?)\}\];/g
/** Text that is the same each time, in pieces. */
const WORDS = /^(?:"(?:[^"\\]|\\.)*"\+?)+$/
const SCHEMA = /const (schema\d+) = (\{.*?\});(?=const |function |exports)/g

interface Named {
  readonly properties?: Readonly<Record<string, Named>>
  readonly items?: Named
}

/** A check reads no more of its schema than the names of properties. */
const namesOf = ({ properties, items }: Named): Named => ({
  ...(properties && {
    properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, namesOf(inner)])),
  }),
  ...(items && { items: namesOf(items) }),
})

/** A sentence of several checks stands in one place, and they name it by its number there. */
function shortened(code: string): string {
  const sentences: string[] = []
  const numbered = (message: string): string => {
    if (!WORDS.test(message)) return message
    if (!sentences.includes(message)) sentences.push(message)
    return `${sentences.indexOf(message)}`
  }
  const checks = code
    .replace(UNREAD, '')
    .replace(UNUSED, '')
    .replace(FAULT, (_, path = 'instancePath', message: string) => `fault(${path},${numbered(message)});`)
    .replace(SCHEMA, (_, name, schema) => `const ${name} = ${JSON.stringify(namesOf(JSON.parse(schema) as Named))};`)
  return `const sentences = [${sentences.join()}];
    const fault = (instancePath, message) => [{ instancePath, message: sentences[message] ?? message }];
    ${checks}`
}

/** Returns the checks as a module. Conditions in the place of nested branches, and short names, make it shorter. */
export async function validatorCode(): Promise<string> {
  const ajv = new Ajv({ ...AJV_OPTIONS, schemas: paramsSchemas(), code: { source: true } })
  const generate = standalone as unknown as (ajv: Ajv, references: Record<string, string>) => string
  // Methods whose params are alike have one check.
  const alike = new Map<string, string>()
  const references = Object.entries(methods.METHODS).map(([name, { params }]) => {
    const text = JSON.stringify(params)
    if (!alike.has(text)) alike.set(text, name)
    return [name, alike.get(text)]
  })
  const code = shortened(generate(ajv, Object.fromEntries(references)))
  const shorter = await transform(`${code}\nexports.VALIDATORS = { ...exports };`, {
    minifySyntax: true,
    minifyIdentifiers: true,
  })
  return shorter.code
}

/** Matches `export const X = strict({...})` up to the end of its last line, as oxfmt writes it. */
const COMPUTED = /^((?:export )?const \w+ = )((?:[A-Za-z]\w*[.(]|\{).*(?:\n+(?=[ )\]}]).*)*)/gm

/**
 * Leaves out every schema: the checks are generated, so root reads none when it runs. shared computes and never acts,
 * so esbuild may drop what nothing reads of a module with schemas. A schema that is read brings TypeBox into the
 * bundle, and the tests fail.
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

/** Returns all that methods.ts exports, with nothing but the effect of each method. */
function effectsCode(): string {
  const effects = Object.fromEntries(Object.entries(methods.METHODS).map(([name, { effect }]) => [name, { effect }]))
  return Object.entries({ ...methods, METHODS: effects })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
    .join('\n')
}

/** Leaves root the sentences of the catalogue that its own code and what both daemons share can say. */
export function ownSentences(): Plugin {
  return {
    name: 'own-sentences',
    setup(build) {
      const named = namedSentences()
      build.onLoad({ filter: /\/shared\/messages\/[\w-]+\.ts$/ }, async ({ path }) => {
        const module = Object.entries((await import(path)) as Record<string, unknown>)
        if (!module.every(isArea)) return null
        return { contents: module.map((area) => areaCode(area, named)).join('\n'), loader: 'js' }
      })
    },
  }
}

function namedSentences(): Set<string> {
  const files = ['root-helper', 'shared'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/^(api|messages)\//.test(file))
      .map((file) => join(ROOT, folder, file)),
  )
  const ids = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/'([a-z]+\.[a-z0-9_]+)'/g)])
  return new Set([...Object.keys(PHRASES), ...ids.map(([, id = '']) => id)])
}

/** Whether an export is a part of the catalogue. */
const isArea = (exported: [string, unknown]): exported is [string, object] => {
  const [name, value] = exported
  return name !== 'CATALOGUE' && typeof value === 'object' && Object.keys(value ?? {}).every((id) => id in CATALOGUE)
}

function areaCode([name, sentences]: [string, object], named: ReadonlySet<string>): string {
  const own = Object.fromEntries(Object.entries(sentences).filter(([id]) => named.has(id)))
  return `export const ${name} = ${JSON.stringify(own)}`
}

/**
 * Express loads body-parser for its `json` and `text`, and with it the tables of all character sets (iconv-lite, a tenth of
 * the web daemon's bundle). The panel uses neither: it reads bodies itself, in UTF-8 (platform/http/body.ts).
 */
export function withoutBodyParser(): Plugin {
  return {
    name: 'without-body-parser',
    setup(build) {
      build.onResolve({ filter: /^body-parser$/ }, ({ path }) => ({ path, namespace: 'unused' }))
      build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}', loader: 'js' }))
    },
  }
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
