import { readTranscriptionUsage } from '../dialects/transcription/openai-transcription.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, objectsIn, shortCopy, textOf } from '../json/json.ts';
import { expectChatUsage, expectTranscriptionUsage, sanitizeUsage } from '../model/plausible-usage.ts';
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
import { countWideCharacters } from '../tokens/text-samples-and-counts.ts';
import { findModelFamily, type ModelFamily } from '../tokens/tokenizer-family.ts';
import {
  type Amount,
  addTo,
  emptyAmount,
  estimateTranscriptionUsage,
  hasSome,
  INPUT_TOKENS_PER_SECOND,
  OpenResponses,
  OUTPUT_MAX,
  roundUp,
  type SessionUsage,
  TranscriptionMeter,
  toInput,
} from './pending-responses-and-transcriptions.ts';
import {
  type AudioFormat,
  defaultAudioFormat,
  readAudioFormat,
  readTranscribers,
  respondsAlone,
  secondsOf,
} from './session-events-and-settings.ts';

/** Billed usage of one upstream event. */
export interface MeteredUsage extends SessionUsage {
  source: 'reported' | 'estimated';
}

/** Expected usage of each of several responses that run at the same time. */
export interface ParallelResponses {
  count: number;
  /** Usage of the largest one. */
  usage: Usage;
}

/** OpenAI's rule: one token per 50 ms of output audio. */
const OUTPUT_TOKENS_PER_SECOND = 20;
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
  /** Tokens of the longest instructions and tools of the session: the upstream may still refuse an update. */
  readonly #settings = { instructions: 0, tools: 0 };
  /** Part of the conversation and of the settings that no billed response has read. */
  #added: Amount = { ...emptyAmount };
  /** True if responses may begin without a request of the client. */
  #respondsAlone = true;
  /** False for a session that only transcribes. */
  #canRespond = true;
  readonly #responses = new OpenResponses();
  readonly #transcriptions = new TranscriptionMeter();
  readonly #billed = new Set<string>();

  constructor(model: string) {
    this.#family = findModelFamily(model);
  }

  /** Number of responses that the upstream has to end: requested and running ones. */
  get open(): number {
    return this.#responses.count;
  }

  /** Number of open responses that have delivered nothing. The vendor may bill their input. */
  get undelivered(): number {
    return this.#responses.count - [...this.#responses.running.values()].filter(hasSome).length;
  }

  /** Ids of running responses; empty for one without an id. */
  get running(): string[] {
    return [...this.#responses.running.keys()];
  }

  recordClientEvent(event: unknown): void {
    if (!isObject(event)) return;
    const audio = event['audio'];
    if (event['type'] === 'input_audio_buffer.append' && typeof audio === 'string')
      this.#transcriptions.addAudio(this.#hear(audio));
    if (event['type'] === 'conversation.item.create') this.#add(this.#readItem(objectOf(event['item'])));
    if (event['type'] === 'session.update') this.#expectSettings(objectOf(event['session']));
    if (event['type'] === 'response.create') this.#request(objectOf(event['response']));
  }

  /** Records that the upstream has received the client's last event. */
  recordForwarded(): void {
    this.#responses.recordForwarded();
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
    else if (type === 'response.created') this.#responses.begin(objectOf(event['response'])['id'], this.#respondsAlone);
    else if (type === 'error') {
      // Only this code proves that a request was refused: a client can cause other errors by other events.
      if (objectOf(event['error'])['code'] === 'conversation_already_has_active_response') this.#responses.refuse();
    } else if (soundDelta.test(type)) {
      const seconds = secondsOf(textOf(event['delta']) ?? '', this.#spokenFormat);
      this.#responses.deliveredOf(event['response_id']).audio += seconds * OUTPUT_TOKENS_PER_SECOND;
    } else if (wordDelta.test(type)) {
      this.#responses.deliveredOf(event['response_id']).text += this.#tokensOf(event['delta']);
    }
    return undefined;
  }

  /**
   * Returns the usage by model if all running responses and transcriptions ended now; empty if they have delivered
   * nothing.
   */
  pendingUsage(): SessionUsage[] {
    const begun = [...this.#responses.running.values()].filter(hasSome).map((one) => this.#estimate(one));
    const responses =
      begun.length === 0 ? [] : [{ model: undefined, usage: begun.reduce(sumOf), responses: begun.length }];
    return [...responses, ...this.#transcriptions.pendingUsage()];
  }

  /**
   * Returns the expected usage of input that nothing has been charged for, by model: what the next response will read,
   * unless the client has to request it first, and the audio that will be transcribed.
   */
  unbilledInput(): SessionUsage[] {
    const { isAnyExpected, largest } = this.#responses;
    const added = this.#canRespond && (this.#respondsAlone || isAnyExpected) ? this.#added : emptyAmount;
    const own = isAnyExpected ? largest.own : emptyAmount;
    return [{ model: undefined, usage: toInput(added, own) }, ...this.#transcriptions.expectedUsage()];
  }

  /**
   * Returns the responses that may run at the same time, each with the longest prompt and output that it may have;
   * undefined for a single one, for which `unbilledInput` suffices.
   */
  parallelResponses(): ParallelResponses | undefined {
    const { largest } = this.#responses;
    if (this.#responses.expect(false).count < 2) return undefined;
    const { count, output } = this.#responses.expect(this.#canRespond && this.#respondsAlone);
    const settings = { ...emptyAmount, text: this.#settings.instructions + this.#settings.tools };
    const usage = toInput(this.#conversation, settings, largest.own);
    return { count, usage: { ...usage, output: roundUp(output.text), audioOutput: roundUp(output.audio) } };
  }

  #request({ instructions, tools, input, output_modalities, modalities, max_output_tokens }: JsonObject): void {
    const own = { ...emptyAmount, text: this.#tokensOf(instructions) + this.#tokensOf(toText(tools)) };
    for (const item of listOf(input)) addTo(own, this.#readItem(objectOf(item)));
    const tokens = Math.min(OUTPUT_MAX, numberOf(max_output_tokens) ?? OUTPUT_MAX);
    const kinds = listOf(output_modalities ?? modalities);
    const isWritten = kinds.length === 1 && kinds[0] === 'text';
    const output = { ...emptyAmount, [isWritten ? 'text' : 'audio']: tokens };
    this.#responses.request({ own, output, hasOtherInput: Array.isArray(input) });
  }

  #done(response: JsonObject): MeteredUsage | undefined {
    if (this.#isRepeated(response['id'])) return undefined;
    // Its report is ignored, and only its delivered output is charged.
    const isUnexplained = this.#responses.isUnexplained(response['id'], this.#respondsAlone);
    const delivered = this.#responses.deliveredOf(response['id']);
    const estimate = this.#estimate(delivered);
    const said = isUnexplained ? undefined : readRealtimeUsage(response['usage']);
    const reported = said && sanitizeUsage(said, expectChatUsage(promptTokens(estimate), outputTokens(estimate)));
    this.#responses.end(response['id']);
    const { largest, unread } = this.#responses;
    if (!largest.hasOtherInput) this.#added = { ...unread };
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
    // The report of a response with other input doesn't show how long the conversation is.
    if (isPromptTold && isAnswerTold && !largest.hasOtherInput) this.#learn(usage);
    return { usage, source: isPromptTold && isAnswerTold ? 'reported' : 'estimated', model: undefined };
  }

  /** Corrects the estimated length of the conversation by a report, which may lack the unread part. */
  #learn({ input, cachedRead, output, ...media }: Usage): void {
    this.#conversation.text = Math.max(0, input + cachedRead - this.#instructions) + output;
    this.#conversation.audio = media.audioInput + media.cachedAudioInput + media.audioOutput;
    this.#conversation.image = media.imageInput + media.cachedImageInput;
    addTo(this.#conversation, this.#responses.unread);
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
    this.#expectSettings(session);
    this.#canRespond = !isTranscription && session['type'] !== 'transcription';
    this.#respondsAlone = respondsAlone(objectOf(input)['turn_detection'], session['turn_detection']);
  }

  #expectSettings({ instructions, tools }: JsonObject): void {
    const longest = this.#settings;
    const before = longest.instructions + longest.tools;
    longest.instructions = Math.max(longest.instructions, this.#tokensOf(instructions));
    longest.tools = Math.max(longest.tools, this.#tokensOf(toText(tools)));
    this.#addUnread({ ...emptyAmount, text: longest.instructions + longest.tools - before });
  }

  #readItem(item: JsonObject): Amount {
    const amount = { ...emptyAmount, text: this.#tokensOf(item['output']) + this.#tokensOf(item['arguments']) };
    for (const part of objectsIn(item['content'])) {
      const audio = part['audio'];
      const media = readMedia(part, this.#family);
      if (typeof audio === 'string') amount.audio += secondsOf(audio, this.#heardFormat) * INPUT_TOKENS_PER_SECOND;
      else if (media?.kind === 'image') amount.image += media.tokens;
      else amount.text += this.#tokensOf(part['text']) + this.#tokensOf(part['transcript']);
    }
    return amount;
  }

  #add(amount: Amount): void {
    addTo(this.#conversation, amount);
    this.#addUnread(amount);
  }

  #addUnread(amount: Amount): void {
    addTo(this.#added, amount);
    if (this.#responses.isAnyExpected) addTo(this.#responses.unread, amount);
  }

  /** @returns seconds */
  #hear(audio: string): number {
    const seconds = secondsOf(audio, this.#heardFormat);
    this.#add({ ...emptyAmount, audio: seconds * INPUT_TOKENS_PER_SECOND });
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
      ...toInput(this.#conversation, this.#responses.largest.own, { ...emptyAmount, text: this.#instructions }),
      output: roundUp(delivered.text),
      audioOutput: roundUp(delivered.audio),
    };
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

/** Returns the text of a value that is part of a prompt as JSON. */
function toText(value: unknown): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : '';
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
