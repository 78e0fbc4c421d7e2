/** Returns the line of a JSON error from the message of `JSON.parse`, if the browser reports it. */
export function jsonErrorLine(error: unknown): number | undefined {
  const line = error instanceof Error ? /line (\d+)/.exec(error.message)?.[1] : undefined;
  return line === undefined ? undefined : Number(line);
}
