/** Anthropic's dialect where a cloud serves it: the model is in the address, and the version in the body. */
import type { JsonObject } from './json.ts';
import type { Quirk } from './provider.ts';
import { refuses } from './quirks.ts';

/**
 * Fields of Anthropic's own service, which the clouds refuse.
 * https://platform.claude.com/docs/en/build-with-claude/overview, "Feature availability"
 */
export const anthropicAlone: Quirk = refuses(
  'service_tier',
  'inference_geo',
  'speed',
  'container',
  'mcp_servers',
);

export function withVersion(body: JsonObject, version: string): JsonObject {
  const { model: _model, ...rest } = body;
  return { anthropic_version: version, ...rest };
}
