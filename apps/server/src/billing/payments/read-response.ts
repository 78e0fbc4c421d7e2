import type { z } from 'zod';

/**
 * Reads a vendor's response as JSON of this schema.
 * @throws Error that quotes nothing of the response; the result of the call is unknown then
 */
export async function readJsonResponse<S extends z.ZodType>(answer: Response, schema: S): Promise<z.output<S>> {
  if (!answer.ok) throw new Error(`The payment provider returned status ${answer.status}`);
  return parseJsonText(await answer.text(), schema);
}

/** @throws Error that quotes nothing of the text */
export function parseJsonText<S extends z.ZodType>(text: string, schema: S): z.output<S> {
  const read = schema.safeParse(tryParseJson(text));
  if (!read.success) throw new Error('The payment provider returned a response in an undocumented format');
  return read.data;
}

/** Returns undefined when the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
