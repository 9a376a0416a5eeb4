// Validates what the root helper sends against the schemas in METHODS.
import { Ajv, type ValidateFunction } from 'ajv'
import type { Logger } from 'pino'
import type { TSchema } from '@panel/shared/schema.ts'
import type { MethodName } from '@panel/shared/rpc/methods.ts'
import { message } from '@panel/shared/messages/message.ts'
import { Refusal } from '../http/refusal.ts'

/** Throws unless `value`, an answer or an item of the method, matches the schema. */
export type Check = (method: MethodName, shape: TSchema, value: unknown) => void

const ajv = new Ajv({ strictTypes: false })
const validators = new Map<TSchema, ValidateFunction>()

export function validatorOf(shape: TSchema): ValidateFunction {
  const validator = validators.get(shape) ?? ajv.compile(shape)
  validators.set(shape, validator)
  return validator
}

export function makeShapeCheck(logger: Logger): Check {
  return (method, shape, value) => {
    const validator = validatorOf(shape)
    if (validator(value)) return
    logger.error({ method, errors: validator.errors }, 'an answer of the root helper does not match its schema')
    throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_other_version'))
  }
}
