// Checks of the params of each method. The build replaces this module by the same checks as plain code
// (packaging/build), so that root runs with code generation switched off.
import { Ajv } from 'ajv'
import { METHODS, type MethodName } from '@panel/shared/rpc/methods.ts'
import { AJV_OPTIONS, paramsSchemas } from './params-schemas.ts'

export interface Validator {
  (params: unknown): boolean
  errors?: { instancePath: string; message?: string }[] | null
}

const ajv = new Ajv({ ...AJV_OPTIONS, schemas: paramsSchemas() })

export const VALIDATORS: Record<MethodName, Validator> = Object.fromEntries(
  Object.keys(METHODS).map((name) => [name, ajv.getSchema(name)]),
) as unknown as Record<MethodName, Validator>
