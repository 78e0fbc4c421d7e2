import type { Endpoint, ProviderField, Target } from '../model/provider.ts';

/** OpenAI's two chat dialects, of which an upstream has one or both. */
type Api = 'both' | 'chat' | 'responses';
const apis: readonly Api[] = ['both', 'chat', 'responses'];

/** Models that OpenAI serves in Responses only. Source: the model pages of platform.openai.com, "Endpoints", 2026. */
const responsesOnly = /^(o1-pro|o3-pro|gpt-[5-9](\.\d+)?-pro|.*-codex|codex-|.*-deep-research|computer-use)/;

/** @param usual default for vendors of this kind */
export function createApiOption(usual: Api): ProviderField {
  return { name: 'api', required: false, choices: [usual, ...apis.filter((api) => api !== usual)] };
}

/**
 * @param usual default for vendors of this kind; `both` for OpenAI's own services, which support all tools of
 * Responses
 */
export function createChatEndpoints(
  chat: Endpoint['path'],
  responses: Endpoint['path'],
  usual: Api = 'both',
): Endpoint[] {
  const apiOf = ({ options }: Target): string => options['api'] || usual;
  return [
    {
      format: 'openai-chat',
      path: chat,
      serves: (target) => apiOf(target) === 'chat' || (apiOf(target) === 'both' && !responsesOnly.test(target.model)),
    },
    {
      format: 'openai-responses',
      path: responses,
      serves: (target) => apiOf(target) !== 'chat',
      ...(usual === 'both' && { knowsClientTools: true }),
    },
  ];
}
