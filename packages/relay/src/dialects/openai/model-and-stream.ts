import type { JsonObject } from '../../json/json.ts';
import type { Ask } from '../../model/conversation.ts';

/** Sets the model in the body; returns the same object if it is set already. */
export function withModel(body: JsonObject, { model }: Pick<Ask, 'model'>): JsonObject {
  return body['model'] === model ? body : { ...body, model };
}

/** The same for those that also say there whether to stream. */
export function withModelAndStream(body: JsonObject, ask: Ask): JsonObject {
  const named = withModel(body, ask);
  if ((named['stream'] ?? false) === ask.stream) return named;
  const { stream_options: _options, ...rest } = named;
  return { ...rest, stream: ask.stream };
}
