/** Converts foreign lists to our fields. Prices in units other than tokens or calls are dropped. */
import {
  getHourlyCacheWriteFactor,
  NANO_POINTS_PER_POINT,
  RATE_OF_USD_PER_MILLION,
  RATE_OF_USD_PER_UNIT,
} from '@switchyard/contract/catalog/price-rates';
import { isObject, textOf } from '@switchyard/relay/json';
import { findChannelType } from '../prices/prices.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Entry of a list, with our field names but not validated yet. */
export interface RawEntry {
  /** Position in the list: `prices.3`, `openai.gpt-5`. */
  position: string;
  model: unknown;
  currency?: unknown;
  price?: RawPrice | undefined;
  facts?: Record<string, unknown> | undefined;
}

interface RawPrice {
  type?: unknown;
  /** Absent: the list does not name the owner. */
  channel_type?: unknown;
  rates: unknown;
  image_rates?: unknown;
  tiers?: unknown;
}

/** Points for a call of a `times` price with ratio 1. */
const POINTS_PER_CALL_RATIO = 1_000;
/** One Hub's kinds of tokens, each with our rate and the rate that it is a multiple of. */
const ratioKinds = [
  ['cached_tokens', 'cachedRead', 'input'],
  ['cached_read_tokens', 'cachedRead', 'input'],
  ['cached_write_tokens', 'cacheWrite5m', 'input'],
  ['input_audio_tokens', 'audioInput', 'input'],
  ['input_image_tokens', 'imageInput', 'input'],
  ['reasoning_tokens', 'reasoning', 'output'],
  ['output_audio_tokens', 'audioOutput', 'output'],
  ['output_image_tokens', 'imageOutput', 'output'],
] as const;

/**
 * Converts `[{model, type, channel_type, input, output, extra_ratios}]`: a ratio of 1 is 2 USD for a million tokens.
 */
export function readOneHubRatios(list: readonly unknown[]): RawEntry[] {
  return list.map((item, index) => {
    const fields: Fields = isObject(item) ? item : {};
    const isCall = fields['type'] === 'times';
    const factor = NANO_POINTS_PER_POINT * (isCall ? POINTS_PER_CALL_RATIO : 1);
    const base = { input: fields['input'], output: isCall ? 0 : fields['output'] };
    const rates: Record<string, unknown> = {
      input: multiplyAmount(base.input, factor),
      output: multiplyAmount(base.output, factor),
    };
    const extra: Fields = isObject(fields['extra_ratios']) ? fields['extra_ratios'] : {};
    for (const [kind, name, of] of ratioKinds) {
      const [ratio, amount] = [extra[kind], base[of]];
      if (ratio !== undefined && !isCall)
        rates[name] = typeof amount === 'number' ? multiplyAmount(ratio, amount * factor) : ratio;
    }
    if (rates['cacheWrite5m'] !== undefined)
      rates['cacheWrite1h'] = toHourlyCacheWrite(fields['model'], rates['cacheWrite5m']);
    return {
      position: `${index}`,
      model: fields['model'],
      currency: fields['currency'],
      price: { type: fields['type'], channel_type: fields['channel_type'], rates },
    };
  });
}

/**
 * Converts the response of New API's `/api/pricing`, before its groups' ratios: a ratio of 1 is 2 USD for a million
 * tokens, other kinds are multiples of the input, a call is priced in USD. A price by formula, or of an unknown kind,
 * is rejected, because its ratio is meaningless and usually 0.
 * https://docs.newapi.pro/en/docs/guide/console/settings/rate-settings
 */
export function readNewApi(list: readonly unknown[]): RawEntry[] {
  return list.map((item, index) => {
    const fields: Fields = isObject(item) ? item : {};
    const entry = { position: `data.${index}`, model: fields['model_name'] };
    const { billing_mode: mode = 'ratio', quota_type: type } = fields;
    if (mode !== 'ratio' && mode !== '') return { ...entry, price: { type: mode, rates: {} } };
    if (type !== 0 && type !== 1) return { ...entry, price: { type: requireAmount(type), rates: {} } };
    if (type === 1) {
      const rates = { input: requireAmount(multiplyAmount(fields['model_price'], RATE_OF_USD_PER_UNIT)), output: 0 };
      return { ...entry, price: { type: 'times', rates } };
    }
    const input = multiplyAmount(fields['model_ratio'], NANO_POINTS_PER_POINT);
    const multiple = (of: unknown, name: string): unknown =>
      typeof of === 'number' ? multiplyAmount(fields[name], of) : undefined;
    const audioInput = multiple(input, 'audio_ratio');
    const rates = omitUndefined({
      input: requireAmount(input),
      output: requireAmount(multiple(input, 'completion_ratio')),
      cachedRead: multiple(input, 'cache_ratio'),
      cacheWrite5m: multiple(input, 'create_cache_ratio'),
      cacheWrite1h: toHourlyCacheWrite(fields['model_name'], multiple(input, 'create_cache_ratio')),
      imageInput: multiple(input, 'image_ratio'),
      audioInput,
      audioOutput: multiple(audioInput, 'audio_completion_ratio'),
    });
    return { ...entry, price: { type: 'tokens', rates } };
  });
}

/** Converts the rate of a list that has one price for cache writes. */
function toHourlyCacheWrite(model: unknown, rate: unknown): unknown {
  return multiplyAmount(rate, getHourlyCacheWriteFactor(textOf(model) ?? ''));
}

/**
 * Replaces a missing amount by an invalid one, so that the entry is rejected instead of keeping another price's
 * amount.
 */
function requireAmount(amount: unknown): unknown {
  return amount ?? 'missing';
}

const modalities: Readonly<Record<string, string>> = {
  text: 'text',
  image: 'image',
  audio: 'audio',
  video: 'video',
  pdf: 'file',
};

function selectModalities(value: unknown, allowed: readonly string[]): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const kinds = value.flatMap((kind) =>
    typeof kind === 'string' && Object.hasOwn(modalities, kind) ? (modalities[kind] ?? []) : [],
  );
  const known = kinds.filter((kind) => allowed.includes(kind));
  return known.length === 0 ? undefined : [...new Set(known)];
}

/**
 * Providers of their own models, which come first: if several providers list a model, the first one's price is used.
 */
const vendorsFirst = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'deepseek',
  'xai',
  'cohere',
  'moonshotai',
  'minimax',
  'zai',
  'zhipuai',
  'alibaba',
  'perplexity',
];

/**
 * Converts https://models.dev/api.json: `{provider: {models: {id: {cost, limit, modalities, …}}}}`, USD for a million
 * tokens.
 */
export function readModelsDev(list: Fields): RawEntry[] {
  const named = Object.keys(list);
  const providers = new Set([...vendorsFirst.filter((id) => named.includes(id)), ...named]);
  const found = new Map<string, RawEntry>();
  for (const provider of providers) {
    const fields = list[provider];
    const models = isObject(fields) ? fields['models'] : undefined;
    for (const [id, value] of Object.entries(isObject(models) ? models : {})) {
      if (found.has(id) || !isObject(value)) continue;
      found.set(id, modelsDevEntry(provider, id, value));
    }
  }
  return [...found.values()];
}

function modelsDevEntry(provider: string, id: string, value: Fields): RawEntry {
  const cost = isObject(value['cost']) ? value['cost'] : undefined;
  const limit: Fields = isObject(value['limit']) ? value['limit'] : {};
  const kinds: Fields = isObject(value['modalities']) ? value['modalities'] : {};
  const usd = (name: string): unknown => multiplyAmount(cost?.[name], RATE_OF_USD_PER_MILLION);
  const hasCost = (cost?.['input'] ?? cost?.['output']) !== undefined;
  return {
    position: `${provider}.models.${id}`,
    model: id,
    price: hasCost
      ? {
          channel_type: findChannelType(provider),
          rates: omitUndefined({
            input: usd('input'),
            output: usd('output'),
            cachedRead: usd('cache_read'),
            cacheWrite5m: usd('cache_write'),
            cacheWrite1h: toHourlyCacheWrite(id, usd('cache_write')),
            reasoning: usd('reasoning'),
            audioInput: usd('input_audio'),
            audioOutput: usd('output_audio'),
          }),
        }
      : undefined,
    facts: omitUndefined({
      context_length: positive(limit['context']),
      output_max: positive(limit['output']),
      input: selectModalities(kinds['input'], ['text', 'image', 'audio', 'video', 'file']),
      output: selectModalities(kinds['output'], ['text', 'image', 'audio', 'video']),
      capabilities: parseCapabilities(value['tool_call'], value['reasoning'], value['structured_output']),
      released: parseDate(value['release_date']),
    }),
  };
}

/** Converts LiteLLM's `model_prices_and_context_window.json`: `{model: {input_cost_per_token, …}}` in USD. */
export function readLiteLlm(list: Fields): RawEntry[] {
  return Object.entries(list).flatMap(([model, value]) =>
    model === 'sample_spec' || !isObject(value) ? [] : [liteLlmEntry(model, value)],
  );
}

const USD_PER_TOKEN = RATE_OF_USD_PER_MILLION * 1_000_000;

function liteLlmEntry(model: string, value: Fields): RawEntry {
  const usd = (name: string): unknown => multiplyAmount(value[name], USD_PER_TOKEN);
  const input = usd('input_cost_per_token');
  const output = usd('output_cost_per_token');
  const second = multiplyAmount(value['input_cost_per_second'], RATE_OF_USD_PER_UNIT);
  const image = multiplyAmount(value['output_cost_per_image'], RATE_OF_USD_PER_UNIT);
  const provider = typeof value['litellm_provider'] === 'string' ? value['litellm_provider'] : '';
  const owner = findChannelType(provider);
  const hasPrice = [input, output, second, image].some((amount) => amount !== undefined);
  return {
    position: model,
    model,
    price: hasPrice
      ? {
          channel_type: owner,
          rates: omitUndefined({
            input,
            output,
            cachedRead: usd('cache_read_input_token_cost'),
            cachedAudioInput: usd('cache_read_input_audio_token_cost'),
            cachedImageInput: usd('cache_read_input_image_token_cost'),
            cacheWrite5m: usd('cache_creation_input_token_cost'),
            cacheWrite1h:
              usd('cache_creation_input_token_cost_above_1hr') ??
              toHourlyCacheWrite(model, usd('cache_creation_input_token_cost')),
            reasoning: usd('output_cost_per_reasoning_token'),
            audioInput: usd('input_cost_per_audio_token'),
            audioOutput: usd('output_cost_per_audio_token'),
            second,
            image,
          }),
        }
      : undefined,
    facts: omitUndefined({
      context_length: positive(value['max_input_tokens']),
      output_max: positive(value['max_output_tokens']),
      capabilities: parseCapabilities(
        value['supports_function_calling'],
        value['supports_reasoning'],
        value['supports_response_schema'],
      ),
      retires: parseDate(value['deprecation_date']),
    }),
  };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

function parseDate(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;
}

/** Returns the capabilities; undefined if the list has no information about any. */
function parseCapabilities(tools: unknown, reasoning: unknown, schema: unknown): string[] | undefined {
  if ((tools ?? reasoning ?? schema) === undefined) return undefined;
  return [
    ...(tools === true ? ['tools'] : []),
    ...(reasoning === true ? ['reasoning'] : []),
    ...(schema === true ? ['json-schema'] : []),
  ];
}

/** Returns the fields that have a value. */
export function omitUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

/** Converts an amount to nano-points. A value that is not a number is returned unchanged, and rejected later. */
function multiplyAmount(amount: unknown, factor: number): unknown {
  return typeof amount === 'number' ? Math.round(amount * factor) : amount;
}
