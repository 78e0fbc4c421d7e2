/** Classifies connection failures by the codes of Node and undici in the cause of an `unreachable` error. */

const unconnectedCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const timeoutCodes: ReadonlySet<unknown> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
/** A handshake fails before anything is sent. */
const handshakeCode = /^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO$)/;

/** Returns whether the request cannot have reached the upstream. */
export function neverConnected(cause: unknown): boolean {
  return unconnectedCodes.has(errorCode(cause));
}

/** Returns whether the upstream took too long. The gateway's own deadlines have no cause. */
export function isTimeout(cause: unknown): boolean {
  return cause === undefined || timeoutCodes.has(errorCode(cause));
}

/** Returns the error message for the client, which must not reveal the upstream's address. */
export function describeConnectionFailure(cause: unknown): string {
  const code = errorCode(cause);
  const isMade = !unconnectedCodes.has(code) && !(typeof code === 'string' && handshakeCode.test(code));
  return isMade
    ? 'The connection to the upstream was lost.'
    : 'The connection to the upstream could not be established.';
}

function errorCode(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
