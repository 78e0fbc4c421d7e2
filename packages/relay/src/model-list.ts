import { listOf, objectOf, textOf } from './json.ts';

/** Model names from `{data: [{id}]}`, the list of OpenAI and nearly everybody else. */
export function openaiModelIds(body: unknown): string[] {
  return listOf(objectOf(body)['data']).flatMap((model) => textOf(objectOf(model)['id']) ?? []);
}
