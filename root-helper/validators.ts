// Checks of the params of each method. The build replaces this module by the same checks as plain code
// (packaging/build), so that root runs with code generation switched off.
import { Ajv } from 'ajv'
import { METHODS, type MethodName } from '@panel/shared/rpc/methods.ts'

export interface Validator {
  (params: unknown): boolean
  errors?: { instancePath: string; message?: string; params?: unknown }[] | null
}

const ajv = new Ajv({ strict: true, strictTypes: false })

export const VALIDATORS: Record<MethodName, Validator> = Object.fromEntries(
  Object.entries(METHODS).map(([name, method]) => [name, ajv.compile(method.params)]),
) as unknown as Record<MethodName, Validator>
