// What holds where the operator says nothing and no setting does either.

/** The side of a tunnel. */
export const DEFAULT_SIDE = 10
/** What the kernel gives a link (DEFAULT_TX_QUEUE_LEN, net/core/dev.h). */
export const DEFAULT_QUEUE_LENGTH = 1000
