import { familyName } from '../../../model/facts-from-model-name.ts';

/**
 * Capabilities of models beyond the common body, as of November 2026 (Amazon's guides "Prompt caching", "Extended
 * thinking in Amazon Nova 2" and "Get validated JSON results from models"). The first match counts.
 */
export interface ConverseModel {
  name: RegExp;
  /** Positions that accept cache points; other positions are refused. */
  cache: 'nowhere' | 'messages';
  /** `nova`: by a level, off by default; `effort`: by a level, never fully off. */
  thinking: 'none' | 'nova' | 'effort';
  /** True if responses and tool calls can be constrained to a schema. */
  schemas: boolean;
  /** True if the model accepts `topK`. */
  topK: boolean;
}

const models: readonly ConverseModel[] = [
  { name: /amazon\.nova-2/, cache: 'messages', thinking: 'nova', schemas: false, topK: true },
  { name: /amazon\.nova/, cache: 'messages', thinking: 'none', schemas: false, topK: true },
  { name: /gpt-oss/, cache: 'nowhere', thinking: 'effort', schemas: true, topK: false },
  { name: /amazon\.|meta\.|ai21|cohere|writer/, cache: 'nowhere', thinking: 'none', schemas: false, topK: false },
];

/** Most other models support schemas. */
const usual: ConverseModel = { name: /./, cache: 'nowhere', thinking: 'none', schemas: true, topK: false };

/** @param name with or without a region prefix, or a whole ARN */
export function converseModel(name: string): ConverseModel {
  return models.find((model) => model.name.test(familyName(name))) ?? usual;
}

/** Returns the cache point that follows the content to cache. These models cache for at most five minutes. */
export function encodeCachePoint(
  { cache }: { cache?: '5m' | '1h' | undefined },
  model: ConverseModel,
  dropped: string[],
): Record<string, unknown>[] {
  if (cache === undefined || model.cache === 'nowhere') return [];
  if (cache === '1h') dropped.push('cache_control.ttl');
  return [{ cachePoint: { type: 'default' } }];
}
