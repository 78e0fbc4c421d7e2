import type { Ask } from '../conversation.ts';
import type { JsonObject } from '../json.ts';

/** For dialects that name the model, and whether to stream, in the body; the same object when it says so already. */
export function asAsked(body: JsonObject, { model, stream }: Ask): JsonObject {
  const named = body['model'] === model ? body : { ...body, model };
  if ((named['stream'] ?? false) === stream) return named;
  const { stream_options: _options, ...rest } = named;
  return { ...rest, stream };
}
