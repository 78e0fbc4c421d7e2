/** Finds the operation that a model serves, for tests and checks that have no client's request to go by. */
import type { Operation } from './dialect-id.ts';
import type { Provider } from './provider.ts';

/** Modalities of a model as lists name them; absent where they name none. */
export interface ModelModalities {
  input?: readonly string[] | undefined;
  output?: readonly string[] | undefined;
}

/** Facts about a model besides its name. */
export interface ModelContext {
  /** Its name at the vendor; absent where it is the same. */
  atVendor?: string | undefined;
  modalities?: ModelModalities | undefined;
  provider?: Pick<Provider, 'endpoints'> | undefined;
}

interface NamePattern {
  operation: Operation;
  /** Beginnings of names; no letter follows. */
  begins?: string;
  /** Words between hyphens, dots and underscores; digits may follow. */
  words?: string;
  /** Texts that may stand anywhere in a name. */
  holds?: string;
  /** Names that are of other models all the same. */
  except?: RegExp;
}

/**
 * Words by which vendors name their models; the first pattern that matches wins, because names hold several of them.
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
  {
    operation: 'music',
    begins: 'suno chirp udio mureka lyria stable-audio ace-step musicgen',
    words: 'music',
  },
  {
    operation: 'transcription',
    begins: 'scribe paraformer parakeet canary nova-2 nova-3',
    words: 'asr stt transcribe transcription',
    holds: 'whisper speech-to-text sensevoice',
    // Amazon's, beside Deepgram's.
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
  // OpenAI's own that are left of the legacy endpoint; other models called "instruct" chat.
  {
    operation: 'completions',
    begins: 'gpt-3.5-turbo-instruct davinci babbage text-davinci text-babbage text-curie',
  },
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

/** Sessions and tasks of a vendor's own kind: whoever does not offer them cannot serve such a model by a chat. */
const hasNoSubstitute: ReadonlySet<Operation> = new Set(['realtime', 'videos', 'drawing', 'music']);

/** Operations tried where the vendor does not offer the one that a model's name says, the cheapest first. */
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
 * Returns the operation that a model serves: by what lists say of it where that leaves no choice, else by its name, and
 * where the vendor does not offer that, by what it offers.
 */
export function modelOperation(model: string, { atVendor, modalities, provider }: ModelContext = {}): Operation {
  const named =
    operationOfModalities(modalities) ?? operationOfName(atVendor ?? model) ?? operationOfName(model) ?? 'chat';
  if (provider === undefined || provider.endpoints[named] !== undefined || hasNoSubstitute.has(named)) return named;
  return substitutes.find((operation) => provider.endpoints[operation] !== undefined) ?? named;
}

/** Models that write text and something else serve several operations, and models that only read text may rerank. */
function operationOfModalities({ input, output }: ModelModalities = {}): Operation | undefined {
  if (output === undefined) return undefined;
  const isOnly = (...kinds: string[]): boolean => output.length > 0 && output.every((kind) => kinds.includes(kind));
  if (isOnly('embedding')) return 'embeddings';
  if (isOnly('image')) return 'images';
  if (isOnly('video', 'audio') && output.includes('video')) return 'videos';
  const hears = input?.includes('audio') === true && !input.includes('text');
  return isOnly('text') && hears ? 'transcription' : undefined;
}

/** A vendor may stand before the name, as in `vendor/model` and Bedrock's `us.amazon.model`. */
const vendorPrefix = /^(?:.*\/|(?:[a-z]{2,8}\.)?(?:amazon|cohere|stability)\.)/;

function operationOfName(name: string): Operation | undefined {
  const short = name.toLowerCase().replace(vendorPrefix, '');
  // Hosts name what a model makes in any part of a path; none of its parts begins the name but the last.
  return operationIn(short) ?? operationIn(`/${name.toLowerCase()}`);
}

function operationIn(name: string): Operation | undefined {
  return namePatterns.find((pattern) => namesOf.get(pattern)?.test(name) && !pattern.except?.test(name))?.operation;
}
