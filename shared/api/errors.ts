// The closed list of error codes of the HTTP API and the status each one answers with (spec: Errors; decisions.md, section 4).
import { strict, stringEnum, Type, type Static } from '../schema.ts'
import { Anything, shape, Text } from './shapes.ts'

export const STATUS_OF = {
  INVALID_REQUEST: 400,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  CSRF_TOKEN_INVALID: 403,
  ORIGIN_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SETUP_ALREADY_COMPLETE: 409,
  CONFIRM_RECREATE_REQUIRED: 409,
  PROTECTED_PORT: 409,
  WOULD_CUT_OWN_ACCESS: 409,
  PROTECTED_INTERFACE: 409,
  INTERFACE_NOT_MANAGED: 409,
  FOREIGN_UNIT_FILE: 409,
  PROTECTED_SYSCTL: 409,
  ADOPTABLE: 409,
  ALLOCATION_FAILED: 409,
  CONFLICT: 409,
  APPLY_FAILED: 409,
  TUNNEL_INCONSISTENT: 409,
  FORWARDING_APPLY_FAILED: 409,
  FORWARDING_RULES_INCONSISTENT: 409,
  PAYLOAD_TOO_LARGE: 413,
  VALIDATION_FAILED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SETUP_REQUIRED: 503,
  SERVICE_UNAVAILABLE: 503,
  HELPER_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof STATUS_OF

export const ERROR_CODES = Object.keys(STATUS_OF) as ErrorCode[]

/** `field` is "" and `details` {} where there is nothing to say; never null. */
export const ErrorEnvelope = shape('Error', {
  error: strict({
    code: stringEnum(ERROR_CODES),
    message: Type.String({ pattern: '^[A-Z]', description: 'A sentence for people.' }),
    field: Text,
    details: Anything,
  }),
})
export type ErrorEnvelope = Static<typeof ErrorEnvelope>

export const WARNING_CODES = [
  'TUNNEL_HAS_DEPENDENT_ROUTES',
  'LOCAL_ENDPOINT_NOT_FOUND',
  'PUBLIC_RANGE_WARNING',
  'MTU_ADVISORY',
  'ROUTE_OVERLAP_WARNING',
  'RUNTIME_ONLY_PERSISTENCE',
  'GRE_KEY_ASYMMETRIC',
  'GRE_KEY_REUSED',
  'NO_GRE_KEY',
  'POOL_NOT_FOUND',
  'POOL_OVERLAPS_POOL',
  'PEER_ADDRESS_CHOSEN',
  'UNMODELLED_STATE',
  'UNIT_FILE_CHANGED',
  'FOREIGN_UNIT_FILE',
  'TUNNEL_ENDPOINT_CONFLICT',
  'BIND_ANY_ADDRESS',
  'BIND_ADDRESS_NOT_FOUND',
  'NAT_HIDES_CLIENT_ADDRESS',
  'NAT_PRESERVES_CLIENT_ADDRESS',
  'MSS_CLAMP_RECOMMENDED',
  'LOOPBACK_DESTINATION_FORCED',
  'PORT_IN_USE_FORCED',
  'ROUTE_OVERLAPS_RULE',
  'IP_FORWARDING_OFF',
  'CONNTRACK_NEARLY_FULL',
  'CONNTRACK_ACCT_OFF',
  'SOURCE_PORTS_NEARLY_USED',
  'FOREIGN_FORWARD_POLICY_DROP',
  'CONNECTIONS_NOT_DROPPED',
] as const
export type WarningCode = (typeof WARNING_CODES)[number]

export const Warning = shape('Warning', { code: stringEnum(WARNING_CODES), message: Text, field: Text })
export type Warning = Static<typeof Warning>
