// The closed list of error codes of the HTTP API and the status each one answers with (spec: Errors; decisions.md, section 4).
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
  ADOPTABLE: 409,
  ALLOCATION_FAILED: 409,
  CONFLICT: 409,
  APPLY_FAILED: 409,
  TUNNEL_INCONSISTENT: 409,
  PAYLOAD_TOO_LARGE: 413,
  VALIDATION_FAILED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SETUP_REQUIRED: 503,
  SERVICE_UNAVAILABLE: 503,
  HELPER_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof STATUS_OF

/** `field` is "" and `details` {} where there is nothing to say; never null. */
export interface ErrorEnvelope {
  error: { code: ErrorCode; message: string; field: string; details: Record<string, unknown> }
}

export interface Warning {
  code: WarningCode
  message: string
  field: string
}

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
] as const
export type WarningCode = (typeof WARNING_CODES)[number]
