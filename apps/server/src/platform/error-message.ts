/**
 * Returns the message of an error. If all addresses of a name fail, the network reports one error for each and none
 * for all; their messages are joined.
 */
export function getErrorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((one) => getErrorMessage(one)).join('; ');
  return error instanceof Error ? error.message : String(error);
}
