// Holds every answer that any API test gets against the API description, so that the description cannot lie.
import { Ajv, type ValidateFunction } from 'ajv'
import { ErrorEnvelope } from '@panel/shared/api/base/errors.ts'
import { STATUS_OF } from '@panel/shared/api/base/codes.ts'
import type { TSchema } from '@panel/shared/schema.ts'
import { Components } from '@panel/web-daemon/features/docs/schema.ts'
import { answerOf } from '@panel/web-daemon/features/docs/windowed.ts'
import { changesHost, type Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { API_BASE, endpointMethod, endpointPath } from '@panel/web-daemon/platform/http/routes.ts'
import { statusesOf } from '@panel/web-daemon/platform/http/statuses.ts'
import type { AnswerCheck } from './client.ts'

const isInstant = (text: string): boolean => !Number.isNaN(Date.parse(text))
const ajv = new Ajv({
  strict: true,
  strictTypes: false,
  formats: { 'date-time': isInstant, int64: { type: 'number', validate: Number.isSafeInteger }, password: true },
})
ajv.addVocabulary(['components'])

/** Compiled validators by the schema that the description is made from: panels come and go, and these do not. */
const [plain, windowed] = [new WeakMap<TSchema, ValidateFunction>(), new WeakMap<TSchema, ValidateFunction>()]

function compile(schema: TSchema): ValidateFunction {
  const components = new Components()
  const described = components.describe(schema)
  return ajv.compile({ ...described, components: { schemas: components.schemas } })
}

function hold(what: string, source: TSchema, value: unknown, compiled = plain, whole = source): void {
  const check = compiled.get(source) ?? compile(whole)
  compiled.set(source, check)
  if (!check(value))
    throw new Error(
      `${what} is not as the API description says: ${ajv.errorsText(check.errors, { dataVar: 'body' })}\n${JSON.stringify(value).slice(0, 2000)}`,
    )
}

export function answerCheck(endpoints: readonly Endpoint[], basePath: string): AnswerCheck {
  /** Null for what is not of the API. */
  const pathIn = (target: string): string | null => {
    const path = target.split('?')[0] ?? ''
    return path.startsWith(`${basePath}${API_BASE}/`) ? path.slice(basePath.length + API_BASE.length) : null
  }
  return {
    answer: (method, target, { status, headers, text }) => {
      const path = pathIn(target)
      if (path === null || method === 'HEAD' || method === 'OPTIONS') return
      const what = `${method} ${path}, its answer with ${status},`
      const endpoint = endpointOf(endpoints, method, path)
      if (endpoint && !statusesOf(endpoint).some((one) => one === status))
        throw new Error(`${what} is a status that the API description of ${endpoint.route} does not have`)
      if (status >= 400) return holdError(what, status, JSON.parse(text))
      if (!endpoint) throw new Error(`${what} comes of no endpoint`)
      const { answer } = endpoint
      if (answer && headers['content-type'] !== 'text/event-stream')
        hold(what, answer, JSON.parse(text), changesHost(endpoint) ? windowed : plain, answerOf(endpoint, answer))
    },
    event: (method, target, name, data) => {
      const endpoint = endpointOf(endpoints, method, pathIn(target) ?? '')
      if (endpoint?.kind !== 'stream' || !endpoint.events) return
      const schema = endpoint.events[name]
      if (!schema) throw new Error(`The API description of ${endpoint.route} knows no event ${name}`)
      hold(`The event ${name} of ${endpoint.route}`, schema, data)
    },
  }
}

function holdError(what: string, status: number, body: unknown): void {
  hold(what, ErrorEnvelope, body)
  const { code } = (body as ErrorEnvelope).error
  if (STATUS_OF[code] !== status) throw new Error(`${what} says ${code}`)
}

/** What is literal comes before what has an id in its place. */
export function endpointOf(endpoints: readonly Endpoint[], method: string, path: string): Endpoint | undefined {
  const fits = (endpoint: Endpoint): boolean =>
    endpointMethod(endpoint) === method &&
    new RegExp(`^${endpointPath(endpoint).replaceAll(/\{\w+\}/g, '\\d+')}$`).test(path)
  return (
    endpoints.find((endpoint) => endpointMethod(endpoint) === method && endpointPath(endpoint) === path) ??
    endpoints.find(fits)
  )
}
