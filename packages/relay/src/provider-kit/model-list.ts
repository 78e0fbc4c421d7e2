import { listOf, objectOf, textOf } from '../json/json.ts';

/** Model names from `{data: [{id}]}`, the list of OpenAI and nearly everybody else, or from that list alone. */
export function readOpenaiModelIds(body: unknown): string[] {
  return listOf(Array.isArray(body) ? body : objectOf(body)['data']).flatMap(
    (model) => textOf(objectOf(model)['id']) ?? [],
  );
}
