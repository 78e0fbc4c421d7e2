import type { JsonObject } from '../json.ts';

/** For dialects that name the model in the body; the same object when it is named so already. */
export function withModel(body: JsonObject, model: string): JsonObject {
  return body['model'] === model ? body : { ...body, model };
}
