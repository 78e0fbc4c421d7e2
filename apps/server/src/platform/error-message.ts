/**
 * Returns the message of an error. If all addresses of a name fail, Node reports one error for each in an error
 * without a message; their messages are joined.
 */
export function getErrorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((one) => getErrorMessage(one)).join('; ');
  return error instanceof Error ? error.message : String(error);
}
