/**
 * Formats one model as each dialect lists it, with its known metadata in the fields that clients of the dialect read.
 * Unknown metadata is omitted.
 */
import { modelOperation } from '@switchyard/relay';
import type { FindModelMetadata } from '../../catalog/models/models.ts';

export type ModelListDialect = 'openai' | 'anthropic' | 'gemini';

type Facts = Partial<NonNullable<ReturnType<FindModelMetadata>>>;

/** UTC seconds. Clients expect a creation date; this one stands for an unknown date. */
const MODEL_CREATED = 1_700_000_000;

export function presentModel(factsOf: FindModelMetadata, dialect: ModelListDialect, id: string): object {
  return presenters[dialect](id, factsOf(id) ?? {});
}

const presenters: Readonly<Record<ModelListDialect, (id: string, facts: Facts) => object>> = {
  openai,
  anthropic,
  gemini,
};

/**
 * https://platform.openai.com/docs/api-reference/models/object; other metadata uses OpenRouter's field names, which
 * many clients read: https://openrouter.ai/docs/models
 */
function openai(id: string, { owner, context_length, output_max, input, output, ...facts }: Facts): object {
  return {
    id,
    object: 'model',
    ...(facts.name !== undefined && { name: facts.name }),
    ...(facts.description !== undefined && { description: facts.description }),
    created: facts.released === undefined ? MODEL_CREATED : Date.parse(facts.released) / 1000,
    owned_by: owner ?? 'switchyard',
    ...(facts.retires !== undefined && { shutdown_date: facts.retires }),
    ...(context_length !== undefined && { context_length }),
    ...((input ?? output) !== undefined && {
      architecture: {
        ...(input !== undefined && { input_modalities: input }),
        ...(output !== undefined && {
          output_modalities: output.map((kind) => (kind === 'embedding' ? 'embeddings' : kind)),
        }),
      },
    }),
    ...(output_max !== undefined && { top_provider: { max_completion_tokens: output_max } }),
  };
}

/** https://platform.claude.com/docs/en/api/models/list */
function anthropic(id: string, facts: Facts): object {
  const { context_length = null, output_max = null, released, retires } = facts;
  const isLeaving = retires !== undefined || facts.deprecated === true;
  return {
    type: 'model',
    id,
    display_name: facts.name ?? id,
    created_at: released === undefined ? new Date(MODEL_CREATED * 1000).toISOString() : toMidnight(released),
    ...(isLeaving && { lifecycle: 'deprecated' }),
    ...(retires !== undefined && { retires_at: toMidnight(retires) }),
    max_input_tokens: context_length,
    max_tokens: output_max,
    capabilities: anthropicCapabilities(facts),
  };
}

const toMidnight = (date: string): string => `${date}T00:00:00Z`;

/** Returns the capabilities that the metadata decides; null if it decides none. */
function anthropicCapabilities({ input, capabilities }: Facts): object | null {
  if ((input ?? capabilities) === undefined) return null;
  const webSearch = { supported: capabilities?.includes('web-search') === true };
  return {
    ...(input !== undefined && {
      image_input: { supported: input.includes('image') },
      pdf_input: { supported: input.includes('file') },
    }),
    ...(capabilities !== undefined && {
      structured_outputs: { supported: capabilities.includes('json-schema') },
      thinking: { supported: capabilities.includes('reasoning') },
      server_tools: { ...webSearch, web_search: webSearch },
    }),
  };
}

/** https://ai.google.dev/api/models#Model */
function gemini(id: string, { owner, output, ...facts }: Facts): object {
  const { context_length, output_max, capabilities } = facts;
  const embeds = owner === 'google' && output?.includes('embedding') === true;
  // Some chat models generate images.
  const chats = modelOperation(id) === 'chat' || output?.includes('text') === true;
  return {
    name: `models/${id}`,
    baseModelId: id,
    displayName: facts.name ?? id,
    ...(facts.description !== undefined && { description: facts.description }),
    ...(context_length !== undefined && { inputTokenLimit: context_length }),
    ...(output_max !== undefined && { outputTokenLimit: output_max }),
    supportedGenerationMethods: embeds ? ['embedContent'] : chats ? ['generateContent', 'countTokens'] : [],
    ...(capabilities !== undefined && { thinking: capabilities.includes('reasoning') }),
  };
}
