import { readTranscriptionUsage } from '../dialects/transcription/openai-transcription.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, shortCopy, textOf } from '../json/json.ts';
import {
  emptyUsage,
  markImplausible,
  outputTokens,
  promptTokens,
  Shares,
  splitCachedMedia,
  toTokenCount,
  type Usage,
  type UsageCounterName,
} from '../model/usage.ts';
import { isDiscarded } from '../model/usage-meter.ts';
import { estimateTokens } from '../tokens/estimate-prompt-tokens.ts';
import { readMedia } from '../tokens/media-part-tokens.ts';
import { countWideCharacters } from '../tokens/text-sample.ts';
import { findModelFamily, type ModelFamily } from '../tokens/tokenizer-family.ts';
import { expectChatUsage, expectTranscriptionUsage, sanitizeUsage } from '../translate/plausible-usage.ts';
import { readTranscribers } from './plan-client-event.ts';
import {
  estimateTranscriptionUsage,
  INPUT_TOKENS_PER_SECOND,
  roundUp,
  type SessionUsage,
  TranscriptionMeter,
} from './transcription-meter.ts';

/** https://platform.openai.com/docs/guides/realtime-conversations: 16-bit mono. */
const BYTES_PER_SAMPLE = 2;
const RATE = { usual: 24_000, least: 8_000, most: 192_000 };
const telephones: ReadonlySet<unknown> = new Set(['audio/pcmu', 'audio/pcma', 'g711_ulaw', 'g711_alaw']);

/** Billed usage of one upstream event. */
export interface MeteredUsage extends SessionUsage {
  source: 'reported' | 'estimated';
}

/** Tokens, including fractions. */
interface Amount {
  text: number;
  audio: number;
  image: number;
}

const emptyAmount: Readonly<Amount> = { text: 0, audio: 0, image: 0 };

/** OpenAI's rule: one token per 50 ms of output audio. */
const OUTPUT_TOKENS_PER_SECOND = 20;
/**
 * Maximum running responses. OpenAI allows one, and few outside the conversation; further ones are metered as one.
 */
const RUNNING_MAX = 32;

/** Assumed seconds of audio that the session meter may have missed, such as the audio of an item. */
const UNHEARD_SECONDS = 60;

/** Maximum remembered ids of billed events; repetitions come soon. */
const BILLED_MAX = 1_024;

const sessionSaid = /^(transcription_)?session\.(created|updated)$/;
const soundDelta = /^response\.(output_)?audio\.delta$/;
const wordDelta = /^response\.[\w.]+\.delta$/;
const TRANSCRIPTION = 'conversation.item.input_audio_transcription.';

/**
 * Meter of a session's events in both directions. Each response reads the whole conversation again; a transcription
 * reads the audio of one item. If an upstream reports no usage, it is estimated from what went before.
 */
export class SessionMeter {
  readonly #family: ModelFamily;
  #heardFormat: AudioFormat = defaultAudioFormat;
  #spokenFormat: AudioFormat = defaultAudioFormat;
  #instructions = 0;
  /** Input of the next response, without the instructions. */
  readonly #conversation: Amount = { ...emptyAmount };
  /** Part of the conversation that no billed response has read. */
  #added: Amount = { ...emptyAmount };
  /** True if responses may begin without a request of the client. */
  #respondsAlone = true;
  /** False for a session that only transcribes. */
  #canRespond = true;
  /** True if the client has requested a response that has not ended. */
  #isAsked = false;
  readonly #transcriptions = new TranscriptionMeter();
  /** Delivered output of running responses, by id. */
  readonly #running = new Map<string, Amount>();
  readonly #billed = new Set<string>();

  constructor(model: string) {
    this.#family = findModelFamily(model);
  }

  /** Number of running responses. */
  get running(): number {
    return this.#running.size;
  }

  /** True if a response runs, or has been requested and not begun. */
  get isResponding(): boolean {
    return this.#isAsked || this.#running.size > 0;
  }

  /** Ids of running responses that have delivered something; empty for one without an id. */
  get delivering(): string[] {
    return [...this.#running].flatMap(([id, delivered]) => (hasSome(delivered) ? [id] : []));
  }

  recordClientEvent(event: unknown): void {
    if (!isObject(event)) return;
    const audio = event['audio'];
    if (event['type'] === 'input_audio_buffer.append' && typeof audio === 'string')
      this.#transcriptions.addAudio(this.#hear(audio));
    if (event['type'] === 'conversation.item.create') this.#addItem(objectOf(event['item']));
    if (event['type'] === 'response.create') {
      this.#isAsked = true;
      const { instructions, input } = objectOf(event['response']);
      this.#add({ text: this.#tokensOf(instructions) });
      for (const item of listOf(input)) this.#addItem(objectOf(item));
    }
  }

  /** @returns billed usage of this event, if any */
  meterUpstreamEvent(event: unknown): MeteredUsage | undefined {
    if (!isObject(event)) return undefined;
    const type = textOf(event['type']) ?? '';
    if (type === 'response.done') return this.#done(objectOf(event['response']));
    if (type.startsWith(TRANSCRIPTION)) return this.#transcribe(type.slice(TRANSCRIPTION.length), event);
    if (sessionSaid.test(type)) this.#read(objectOf(event['session']), type.startsWith('transcription_'));
    else if (type === 'input_audio_buffer.committed') this.#transcriptions.commit(event['item_id']);
    else if (type === 'input_audio_buffer.cleared') this.#transcriptions.clear();
    else if (type === 'response.created') this.#runningOf(objectOf(event['response'])['id']);
    else if (soundDelta.test(type)) {
      const seconds = secondsOf(textOf(event['delta']) ?? '', this.#spokenFormat);
      this.#runningOf(event['response_id']).audio += seconds * OUTPUT_TOKENS_PER_SECOND;
    } else if (wordDelta.test(type)) {
      this.#runningOf(event['response_id']).text += this.#tokensOf(event['delta']);
    }
    return undefined;
  }

  /**
   * Returns the usage by model if all running responses and transcriptions ended now; empty if they have delivered
   * nothing.
   */
  pendingUsage(): SessionUsage[] {
    const begun = [...this.#running.values()].filter(hasSome).map((one) => this.#estimate(one));
    const responses = begun.length === 0 ? [] : [{ model: undefined, usage: begun.reduce(sumOf) }];
    return [...responses, ...this.#transcriptions.pendingUsage()];
  }

  /**
   * Returns the expected usage of input that nothing has been charged for, by model: what the next response will read,
   * unless the client has to request it first, and the audio that will be transcribed.
   */
  unbilledInput(): SessionUsage[] {
    const mayBegin = this.#canRespond && (this.#respondsAlone || this.#isAsked);
    const { text, audio, image } = mayBegin ? this.#added : emptyAmount;
    const usage = { ...emptyUsage(), input: roundUp(text), audioInput: roundUp(audio), imageInput: roundUp(image) };
    return [{ model: undefined, usage }, ...this.#transcriptions.expectedUsage()];
  }

  #done(response: JsonObject): MeteredUsage | undefined {
    if (this.#isRepeated(response['id'])) return undefined;
    this.#added = { ...emptyAmount };
    this.#isAsked = false;
    const delivered = this.#runningOf(response['id']);
    this.#running.delete(this.#nameOf(response['id']));
    const estimate = this.#estimate(delivered);
    const said = readRealtimeUsage(response['usage']);
    const reported = said && sanitizeUsage(said, expectChatUsage(promptTokens(estimate), outputTokens(estimate)));
    this.#conversation.text += delivered.text;
    this.#conversation.audio += delivered.audio;
    if (reported === undefined)
      return hasSome(delivered) ? { usage: estimate, source: 'estimated', model: undefined } : undefined;
    const isPromptTold = promptTokens(reported) > 0 && !isAnyDiscarded(reported, ['input', 'audioInput', 'imageInput']);
    const isAnswerTold =
      !isAnyDiscarded(reported, ['output', 'audioOutput']) && (outputTokens(reported) > 0 || !hasSome(delivered));
    const { input, audioInput, imageInput, output, audioOutput } = estimate;
    const usage: Usage = {
      ...reported,
      ...(isPromptTold ? {} : { input, audioInput, imageInput }),
      ...(isAnswerTold ? {} : { output, audioOutput }),
    };
    if (isPromptTold && isAnswerTold) this.#learn(usage);
    return { usage, source: isPromptTold && isAnswerTold ? 'reported' : 'estimated', model: undefined };
  }

  /** Corrects the estimated length of the conversation by a report. */
  #learn({ input, cachedRead, output, ...media }: Usage): void {
    this.#conversation.text = Math.max(0, input + cachedRead - this.#instructions) + output;
    this.#conversation.audio = media.audioInput + media.cachedAudioInput + media.audioOutput;
    this.#conversation.image = media.imageInput + media.cachedImageInput;
  }

  /** @param kind end of the event's type */
  #transcribe(kind: string, event: JsonObject): MeteredUsage | undefined {
    const { item_id: id, content_index: part } = event;
    if (kind === 'completed' || kind === 'failed')
      return this.#isRepeated(id, part) ? undefined : this.#endTranscription(kind, event);
    if (this.#isBilled(id, part)) return undefined;
    if (kind === 'delta') this.#transcriptions.addText(id, 'pieces', this.#tokensOf(event['delta']));
    if (kind === 'segment') this.#transcriptions.addText(id, 'segments', this.#tokensOf(event['text']));
    return undefined;
  }

  /** A transcription that failed is billed if it has delivered text. */
  #endTranscription(kind: 'completed' | 'failed', event: JsonObject): MeteredUsage | undefined {
    const { model, seconds, delivered } = this.#transcriptions.end(event['item_id']);
    if (kind === 'failed' && delivered === 0) return undefined;
    const output = this.#tokensOf(event['transcript']) || delivered;
    const said = readTranscriptionUsage(event);
    const reported = said && sanitizeUsage(said, expectTranscriptionUsage(0, seconds + UNHEARD_SECONDS, output));
    if (reported !== undefined && reported.implausible === undefined)
      return { usage: reported, source: 'reported', model };
    if (seconds === 0 && output === 0) return undefined;
    const { implausible } = reported ?? {};
    return {
      usage: { ...estimateTranscriptionUsage(seconds, output), ...(implausible !== undefined && { implausible }) },
      source: 'estimated',
      model,
    };
  }

  /** Reads the settings of a session in the API's format or in its beta's. */
  #read(session: JsonObject, isTranscription: boolean): void {
    const { input, output } = objectOf(session['audio']);
    this.#heardFormat = readAudioFormat(objectOf(input)['format'] ?? session['input_audio_format']);
    this.#spokenFormat = readAudioFormat(objectOf(output)['format'] ?? session['output_audio_format']);
    this.#transcriptions.transcriber = shortCopy(textOf(readTranscribers(session)[0]) ?? '') || undefined;
    this.#instructions = this.#tokensOf(session['instructions']);
    this.#canRespond = !isTranscription && session['type'] !== 'transcription';
    this.#respondsAlone = respondsAlone(objectOf(input)['turn_detection'], session['turn_detection']);
  }

  #addItem(item: JsonObject): void {
    for (const part of listOf(item['content']).map(objectOf)) {
      const audio = part['audio'];
      const media = readMedia(part, this.#family);
      if (typeof audio === 'string') this.#hear(audio);
      else if (media?.kind === 'image') this.#add({ image: media.tokens });
      else this.#add({ text: this.#tokensOf(part['text']) + this.#tokensOf(part['transcript']) });
    }
    this.#add({ text: this.#tokensOf(item['output']) + this.#tokensOf(item['arguments']) });
  }

  #add({ text = 0, audio = 0, image = 0 }: Partial<Amount>): void {
    for (const amount of [this.#conversation, this.#added]) {
      amount.text += text;
      amount.audio += audio;
      amount.image += image;
    }
  }

  /** @returns seconds */
  #hear(audio: string): number {
    const seconds = secondsOf(audio, this.#heardFormat);
    this.#add({ audio: seconds * INPUT_TOKENS_PER_SECOND });
    return seconds;
  }

  /** Returns whether the event was already billed. An event without an id never counts as a repetition. */
  #isRepeated(id: unknown, part: unknown = 0): boolean {
    if (this.#isBilled(id, part)) return true;
    const key = billedKey(id, part);
    if (key === undefined) return false;
    const [oldest] = this.#billed;
    if (this.#billed.size >= BILLED_MAX && oldest !== undefined) this.#billed.delete(oldest);
    this.#billed.add(key);
    return false;
  }

  #isBilled(id: unknown, part: unknown): boolean {
    const key = billedKey(id, part);
    return key !== undefined && this.#billed.has(key);
  }

  #estimate(delivered: Amount): Usage {
    return {
      ...emptyUsage(),
      input: roundUp(this.#conversation.text + this.#instructions),
      audioInput: roundUp(this.#conversation.audio),
      imageInput: roundUp(this.#conversation.image),
      output: roundUp(delivered.text),
      audioOutput: roundUp(delivered.audio),
    };
  }

  #runningOf(id: unknown): Amount {
    const name = this.#nameOf(id);
    const amount = this.#running.get(name) ?? { ...emptyAmount };
    this.#running.set(name, amount);
    return amount;
  }

  #nameOf(id: unknown): string {
    const name = shortCopy(textOf(id) ?? '');
    return this.#running.has(name) || this.#running.size < RUNNING_MAX ? name : '';
  }

  /** Returns the estimated tokens of a text; a delta is about one token. */
  #tokensOf(text: unknown): number {
    return typeof text === 'string' && text !== ''
      ? estimateTokens(this.#family, text.length, countWideCharacters(text))
      : 0;
  }
}

function isAnyDiscarded(usage: Usage, counters: readonly UsageCounterName[]): boolean {
  return counters.some((counter) => isDiscarded(usage, counter));
}

/** Returns the key of an item's part, or of a response; undefined without an id. */
function billedKey(id: unknown, part: unknown): string | undefined {
  const name = textOf(id);
  return name && `${shortCopy(name)} ${numberOf(part) ?? 0}`;
}

/**
 * Returns whether responses begin by themselves, as they do unless turn detection is off or doesn't create them.
 * https://developers.openai.com/api/docs/guides/realtime-vad
 * @param settings values at the API's position and at its beta's
 */
function respondsAlone(...settings: readonly unknown[]): boolean {
  return settings.every((setting) => setting !== null && objectOf(setting)['create_response'] !== false);
}

function hasSome({ text, audio }: Amount): boolean {
  return text > 0 || audio > 0;
}

function sumOf(one: Usage, other: Usage): Usage {
  return {
    ...one,
    input: one.input + other.input,
    audioInput: one.audioInput + other.audioInput,
    imageInput: one.imageInput + other.imageInput,
    output: one.output + other.output,
    audioOutput: one.audioOutput + other.audioOutput,
  };
}

/** Audio format as base64 bytes per second. */
interface AudioFormat {
  bytesPerSecond: number;
}

/** G.711, the telephone codec: eight bits, 8,000 times per second. */
const TELEPHONE: AudioFormat = { bytesPerSecond: 8_000 };
const defaultAudioFormat: AudioFormat = { bytesPerSecond: RATE.usual * BYTES_PER_SAMPLE };

/** Reads a session's `format`: `{type: 'audio/pcm', rate: 24000}`; a name such as `pcm16` in the beta API. */
function readAudioFormat(value: unknown): AudioFormat {
  const { type = value, rate } = objectOf(value);
  if (telephones.has(type)) return TELEPHONE;
  const told = numberOf(rate) ?? RATE.usual;
  return { bytesPerSecond: Math.min(RATE.most, Math.max(RATE.least, told)) * BYTES_PER_SAMPLE };
}

/** @param base64 audio, or a part of it */
function secondsOf(base64: string, { bytesPerSecond }: AudioFormat): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, (base64.length * 3) / 4 - padding) / bytesPerSecond;
}

/**
 * Returns the usage of one response in disjoint counters. Cached tokens are reported by kind, or subtracted from text
 * first. https://platform.openai.com/docs/api-reference/realtime-server-events/response/done
 */
function readRealtimeUsage(reported: unknown): Usage | undefined {
  const usage = objectOf(reported);
  const said = objectOf(usage['input_token_details']);
  const cached = objectOf(said['cached_tokens_details']);
  const written = objectOf(usage['output_token_details']);
  const input = new Shares(toTokenCount(usage['input_tokens']) || sumDetails(said));
  const output = new Shares(toTokenCount(usage['output_tokens']) || sumDetails(written));
  const { media, implausible } = splitCachedMedia(
    input.take('cachedRead', said['cached_tokens']),
    { audio: said['audio_tokens'], image: said['image_tokens'] },
    { audio: cached['audio_tokens'], image: cached['image_tokens'] },
  );
  const audioInput = input.take('audioInput', media.audioInput);
  const imageInput = input.take('imageInput', media.imageInput);
  const audioOutput = output.take('audioOutput', written['audio_tokens']);
  const read: Usage = {
    ...emptyUsage(),
    ...media,
    audioInput,
    imageInput,
    input: input.rest,
    audioOutput,
    output: output.rest,
    ...markImplausible(...implausible, ...input.implausible, ...output.implausible),
  };
  return Object.values(read).some((count) => typeof count === 'number' && count > 0) ? read : undefined;
}

function sumDetails(details: Readonly<Record<string, unknown>>): number {
  return ['text_tokens', 'audio_tokens', 'image_tokens'].reduce((sum, kind) => sum + toTokenCount(details[kind]), 0);
}
