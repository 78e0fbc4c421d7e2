/** The line of a text that is no JSON, from what `JSON.parse` threw: browsers say it of most mistakes. */
export function jsonErrorLine(error: unknown): number | undefined {
  const line = error instanceof Error ? /line (\d+)/.exec(error.message)?.[1] : undefined;
  return line === undefined ? undefined : Number(line);
}
