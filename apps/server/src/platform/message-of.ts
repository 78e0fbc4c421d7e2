/** What an error says. Of a name with several addresses the network says something of each, and nothing of all. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((one) => messageOf(one)).join('; ');
  return error instanceof Error ? error.message : String(error);
}
