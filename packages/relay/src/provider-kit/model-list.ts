import { listOf, objectOf, textOf } from '../json/json.ts';

/** Reads model names from `{data: [{id}]}`, the list of OpenAI and most vendors, or from a bare list. */
export function readOpenaiModelIds(body: unknown): string[] {
  return listOf(Array.isArray(body) ? body : objectOf(body)['data']).flatMap(
    (model) => textOf(objectOf(model)['id']) ?? [],
  );
}
