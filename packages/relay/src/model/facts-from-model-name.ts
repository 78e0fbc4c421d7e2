/** Facts that the name of a model tells: the operation that it serves, and its family. */

import type { Operation } from './dialect-id.ts';
import type { Provider } from './provider.ts';

/** Modalities of a model in price lists; absent if unknown. */
export interface ModelModalities {
  input?: readonly string[] | undefined;
  output?: readonly string[] | undefined;
}

/** Facts about a model besides its name. */
export interface ModelContext {
  /** Name at the vendor; absent if it is the same. */
  atVendor?: string | undefined;
  modalities?: ModelModalities | undefined;
  provider?: Pick<Provider, 'endpoints'> | undefined;
}

interface NamePattern {
  operation: Operation;
  /** Prefix of names, which no letter follows. */
  begins?: string;
  /** Words between hyphens, dots and underscores; digits may follow. */
  words?: string;
  /** Texts anywhere in a name. */
  holds?: string;
  /** Names that match, but belong to other models. */
  except?: RegExp;
}

/**
 * Words in vendors' model names; the first matching pattern applies, because names contain several words.
 * Source: the vendors' model lists, 2026.
 */
const namePatterns: readonly NamePattern[] = [
  { operation: 'rerank', holds: 'rerank' },
  { operation: 'moderation', holds: 'moderation' },
  {
    operation: 'embeddings',
    begins: 'bge gte e5 m3e voyage text2vec jina-clip all-minilm all-mpnet',
    holds: 'embed multilingual-e5',
  },
  { operation: 'realtime', begins: 'grok-voice', words: 'realtime live', holds: 'native-audio' },
  { operation: 'music', begins: 'suno chirp udio mureka lyria stable-audio ace-step musicgen', words: 'music' },
  {
    operation: 'transcription',
    begins: 'scribe paraformer parakeet canary nova-2 nova-3',
    words: 'asr stt transcribe transcription',
    holds: 'whisper speech-to-text sensevoice',
    // Amazon's Nova; Deepgram has another one.
    except: /^nova-\d-(lite|pro|micro|premier|omni|sonic)/,
  },
  {
    operation: 'speech',
    begins: 'speech eleven sambert kokoro orpheus chatterbox fish-speech aura indextts',
    words: 'tts ttsd',
    holds: 'text-to-speech cosyvoice',
  },
  {
    operation: 'videos',
    begins:
      'sora veo kling seedance hailuo minimax-hailuo runway gen3 gen3a gen4 gen-3 gen-4 ray luma vidu viduq pika pixverse ' +
      'cogvideo cogvideox hunyuanvideo ltx ltxv mochi nova-reel video wan wanx',
    words: 'video t2v i2v r2v s2v v2v kf2v seedance',
    except: /[ti]2i|image(?!-to-video)|(?:^|\/)video-?ll/,
  },
  { operation: 'drawing', begins: 'mj niji', holds: 'midjourney' },
  {
    operation: 'images',
    begins:
      'dall-e dalle flux imagen recraft recraftv ideogram sd sd-turbo kolors cogview playground-v hidream janus-pro photon ' +
      'photomaker firefly lucid phoenix leonardo dreamshaper reve auraflow bria omnigen kandinsky sana irag ' +
      'ernie-irag step-1x nova-canvas jimeng stable-image stable-cascade',
    words: 'image images t2i i2i flux imagine nano-banana seedream seededit',
    holds: 'stable-diffusion sdxl imagegen',
  },
  // OpenAI's remaining models of the legacy endpoint; other models called "instruct" chat.
  { operation: 'completions', begins: 'gpt-3.5-turbo-instruct davinci babbage text-davinci text-babbage text-curie' },
];

const namesOf = new Map(namePatterns.map((pattern) => [pattern, regexOf(pattern)]));

function regexOf({ begins, words, holds }: NamePattern): RegExp {
  const anyOf = (list: string): string => `(?:${list.replaceAll('.', '\\.').replaceAll(' ', '|')})`;
  const forms = [
    begins === undefined ? [] : `^${anyOf(begins)}(?![a-z])`,
    words === undefined ? [] : `(?:^|[^a-z])${anyOf(words)}(?![a-z])`,
    holds === undefined ? [] : anyOf(holds),
  ];
  return new RegExp(forms.flat().join('|'));
}

/** Sessions and vendor-specific tasks: a chat cannot replace them. */
const hasNoSubstitute: ReadonlySet<Operation> = new Set(['realtime', 'videos', 'drawing', 'music']);

/** Operations to try if the vendor doesn't offer the one that a model's name suggests, the cheapest first. */
const substitutes: readonly Operation[] = [
  'chat',
  'speech',
  'rerank',
  'embeddings',
  'transcription',
  'images',
  'videos',
  'drawing',
  'music',
];

/**
 * Returns the operation that a model serves: from its listed modalities if they are unambiguous, else from its name,
 * restricted to what the vendor offers.
 */
export function modelOperation(model: string, { atVendor, modalities, provider }: ModelContext = {}): Operation {
  const named =
    operationOfModalities(modalities) ?? operationOfName(atVendor ?? model) ?? operationOfName(model) ?? 'chat';
  if (provider === undefined || provider.endpoints[named] !== undefined || hasNoSubstitute.has(named)) return named;
  return substitutes.find((operation) => provider.endpoints[operation] !== undefined) ?? named;
}

/**
 * Returns the operation for modalities. Models with text and other output serve several operations, and text-only
 * models may rerank.
 */
function operationOfModalities({ input, output }: ModelModalities = {}): Operation | undefined {
  if (output === undefined) return undefined;
  const isOnly = (...kinds: string[]): boolean => output.length > 0 && output.every((kind) => kinds.includes(kind));
  if (isOnly('embedding')) return 'embeddings';
  if (isOnly('image')) return 'images';
  if (isOnly('video', 'audio') && output.includes('video')) return 'videos';
  const hears = input?.includes('audio') === true && !input.includes('text');
  return isOnly('text') && hears ? 'transcription' : undefined;
}

/** Vendor prefix of a name, as in `vendor/model` and Bedrock's `us.amazon.model`. */
const vendorPrefix = /^(?:.*\/|(?:[a-z]{2,8}\.)?(?:amazon|cohere|stability)\.)/;

function operationOfName(name: string): Operation | undefined {
  const short = name.toLowerCase().replace(vendorPrefix, '');
  // Hosts name the model's type in any segment of a path; only the last segment is the start of the name.
  return operationIn(short) ?? operationIn(`/${name.toLowerCase()}`);
}

function operationIn(name: string): Operation | undefined {
  return namePatterns.find((pattern) => namesOf.get(pattern)?.test(name) && !pattern.except?.test(name))?.operation;
}

/** Maximum characters, because a page of text would take seconds to match against tables of patterns. */
const LENGTH_MAX = 200;

/**
 * Returns a model's name at its vendor in normalized form, for tables of model families: in lower case, and for a
 * fine-tuned model (`ft:gpt-4o-2024-08-06:team::id`) its base model.
 */
export function familyName(model: string): string {
  const name = model.slice(0, LENGTH_MAX).toLowerCase();
  return /^ft:([^:]+)/.exec(name)?.[1] ?? name;
}

const claudeVersion = /claude-(\d)(?:-(\d))?-(opus|sonnet|haiku)/;

/**
 * Returns the name of a Claude model in Anthropic's spelling since version 4. Gateways write `claude-opus-4.6` or
 * `claude-4.5-sonnet`.
 */
export function claudeName(model: string): string {
  const dashed = familyName(model).replace(/(\d)\.(?=\d)/g, '$1-');
  return dashed.replace(claudeVersion, (_name, major: string, minor: string | undefined, family: string) =>
    ['claude', family, major, ...(minor === undefined ? [] : [minor])].join('-'),
  );
}
