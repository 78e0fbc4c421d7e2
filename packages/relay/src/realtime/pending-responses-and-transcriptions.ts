/** Responses and transcriptions of a realtime session that have begun and not ended. */
import { shortCopy, textOf } from '../json/json.ts';
import { estimateRecordingUsage } from '../media/recording-usage.ts';
import { emptyUsage, TOKENS_MAX, type Usage } from '../model/usage.ts';

/** Usage of one model of a session. */
export interface SessionUsage {
  usage: Usage;
  /** Model that transcribes the client's audio; undefined: the session's model. */
  model: string | undefined;
  /** Number of responses whose usage this is; absent: one response or transcription. */
  responses?: number;
}

/** Tokens, including fractions. */
export interface Amount {
  text: number;
  audio: number;
  image: number;
}

export const emptyAmount: Readonly<Amount> = { text: 0, audio: 0, image: 0 };

/**
 * Maximum output of a response, unless its request sets a lower one.
 * https://platform.openai.com/docs/api-reference/realtime-client-events/response/create
 */
export const OUTPUT_MAX = 4_096;
const longestOutput: Readonly<Amount> = { ...emptyAmount, audio: OUTPUT_MAX };
/**
 * Maximum running responses. OpenAI allows one, and few outside the conversation; further ones are metered as one.
 */
const RUNNING_MAX = 32;

/** Request of a response. */
interface RequestedResponse {
  /** Input besides the conversation and the session's settings. */
  own: Amount;
  output: Amount;
  /** True if it may read other input instead of the conversation. */
  hasOtherInput: boolean;
}

/**
 * Responses that have been requested, or have begun by themselves, and have not ended. Reports don't name the request
 * of a response, so that only the largest request is known while several responses are open.
 */
export class OpenResponses {
  /** Content that may have come after the request of the oldest one. */
  unread: Amount = { ...emptyAmount };
  #largest: RequestedResponse = createSmallest();
  #count = 0;
  /** Number of requested responses that have not begun. */
  #requested = 0;
  /** True while the upstream has not received the last request. */
  #isWithheld = false;
  /** Ids of running responses that the client did not request. */
  readonly #unrequested = new Set<string>();
  /** Ids of those that turn detection does not explain either. */
  readonly #unexplained = new Set<string>();
  /** Delivered output of running responses, by id. */
  readonly #running = new Map<string, Amount>();

  /** Largest request of an open response. */
  get largest(): Readonly<RequestedResponse> {
    return this.#largest;
  }

  /** Number of responses that the upstream has to end. */
  get count(): number {
    return Math.max(this.#count, this.#running.size);
  }

  /** True if a response is open, or a request is about to be forwarded. */
  get isAnyExpected(): boolean {
    return this.#isWithheld || this.count > 0;
  }

  /** Delivered output of running responses, by id; empty for one without an id. */
  get running(): ReadonlyMap<string, Readonly<Amount>> {
    return this.#running;
  }

  /**
   * Returns how many may run at the same time, and the largest output of one.
   * @param mayBegin true if a response may begin without a request
   */
  expect(mayBegin: boolean): { count: number; output: Readonly<Amount> } {
    const count = this.count + (this.#isWithheld ? 1 : 0);
    return mayBegin && this.#unrequested.size === 0
      ? { count: count + 1, output: longestOutput }
      : { count, output: this.#largest.output };
  }

  /** Adds a request that the upstream has not received yet. */
  request({ own, output, hasOtherInput }: RequestedResponse): void {
    this.#forgetEnded();
    this.#isWithheld = true;
    raiseTo(this.#largest.own, own);
    raiseTo(this.#largest.output, output);
    this.#largest.hasOtherInput ||= hasOtherInput;
  }

  /** Records that the upstream has received the last request, if there is one. */
  recordForwarded(): void {
    if (!this.#isWithheld) return;
    this.#isWithheld = false;
    this.#count += 1;
    this.#requested += 1;
  }

  /** Removes the oldest request, which the upstream has refused. */
  refuse(): void {
    if (this.#requested === 0) return;
    this.#requested -= 1;
    this.#count -= 1;
  }

  /**
   * Begins the oldest requested response; without one, a response that nothing has requested.
   * @param mayBegin true if a response may begin without a request
   */
  begin(id: unknown, mayBegin: boolean): void {
    this.deliveredOf(id);
    if (this.#requested > 0) {
      this.#requested -= 1;
      return;
    }
    this.#count += 1;
    this.#unrequested.add(this.#nameOf(id));
    if (!mayBegin) this.#unexplained.add(this.#nameOf(id));
    raiseTo(this.#largest.output, longestOutput);
  }

  /**
   * Returns whether neither a request nor turn detection explains a response.
   * @param mayBegin true if a response may begin without a request
   */
  isUnexplained(id: unknown, mayBegin: boolean): boolean {
    // An upstream may not report the beginning of a response, but only its output.
    return (mayBegin ? this.count : this.#count) === 0 || this.#unexplained.has(this.#nameOf(id));
  }

  /** Ends a response. The largest request stays known until the next one begins. */
  end(id: unknown): void {
    const name = this.#nameOf(id);
    this.#running.delete(name);
    this.#unrequested.delete(name);
    this.#unexplained.delete(name);
    // Those beyond the maximum share an entry, which their own reports may not remove.
    if (this.#count === 1) this.#running.delete('');
    this.#count = Math.max(0, this.#count - 1);
    // An upstream may not report the beginning of a response.
    this.#requested = Math.min(this.#requested, this.#count);
  }

  /** Returns the delivered output of a running response, which the caller may increase. */
  deliveredOf(id: unknown): Amount {
    this.#forgetEnded();
    const name = this.#nameOf(id);
    const amount = this.#running.get(name) ?? { ...emptyAmount };
    this.#running.set(name, amount);
    return amount;
  }

  #forgetEnded(): void {
    if (this.isAnyExpected) return;
    this.unread = { ...emptyAmount };
    this.#largest = createSmallest();
  }

  #nameOf(id: unknown): string {
    const name = shortCopy(textOf(id) ?? '');
    return this.#running.has(name) || this.#running.size < RUNNING_MAX ? name : '';
  }
}

const createSmallest = (): RequestedResponse => ({
  own: { ...emptyAmount },
  output: { ...emptyAmount },
  hasOtherInput: false,
});

export function addTo(sum: Amount, { text, audio, image }: Readonly<Amount>): void {
  sum.text += text;
  sum.audio += audio;
  sum.image += image;
}

function raiseTo(most: Amount, { text, audio, image }: Readonly<Amount>): void {
  most.text = Math.max(most.text, text);
  most.audio = Math.max(most.audio, audio);
  most.image = Math.max(most.image, image);
}

/** Returns the usage of a prompt by its parts. */
export function toInput(...parts: readonly Amount[]): Usage {
  const sum = { ...emptyAmount };
  for (const part of parts) addTo(sum, part);
  return { ...emptyUsage(), input: roundUp(sum.text), audioInput: roundUp(sum.audio), imageInput: roundUp(sum.image) };
}

export function hasSome({ text, audio }: Amount): boolean {
  return text > 0 || audio > 0;
}

/** Transcription of one item that is not billed yet. */
interface Transcription {
  /** Undefined if the session names none. */
  readonly model: string | undefined;
  /** Length of the audio that belongs to the item. */
  seconds: number;
  /** False while the item's audio is still in the input buffer: some models transcribe it there. */
  isCommitted: boolean;
  /** Tokens of the delivered text, as pieces and as segments, which repeat each other. */
  pieces: number;
  segments: number;
}

/** Transcription that has ended. */
interface EndedTranscription extends Pick<Transcription, 'model' | 'seconds'> {
  /** Tokens of the delivered text. */
  delivered: number;
}

/** OpenAI's rule: one token per 100 ms of input audio. */
export const INPUT_TOKENS_PER_SECOND = 10;
/** Maximum transcriptions that are tracked separately; further ones are metered as one. */
const TRANSCRIPTIONS_MAX = 1_024;

/**
 * Meter of a session's transcriptions, from the audio and the delivered text. Models may deliver text while the audio
 * is still in the input buffer, and before they report usage.
 * https://developers.openai.com/api/docs/guides/realtime-transcription
 */
export class TranscriptionMeter {
  /** Model of the items that begin from now on; undefined if nothing transcribes them, or the session doesn't say. */
  transcriber: string | undefined;
  /** Seconds of audio in the input buffer, which belong to no item yet. */
  #buffered = 0;
  readonly #unbilled = new Map<string, Transcription>();

  /** Adds audio to the input buffer. */
  addAudio(seconds: number): void {
    this.#buffered += seconds;
  }

  /** Adds delivered tokens of an item's text. */
  addText(id: unknown, kind: 'pieces' | 'segments', tokens: number): void {
    this.#find(id)[kind] += tokens;
  }

  /** Assigns the audio of the input buffer to its item. Without a transcriber, nothing transcribes it. */
  commit(id: unknown): void {
    const seconds = this.#emptyBuffer();
    if (this.transcriber === undefined) return;
    const transcription = this.#find(id);
    transcription.seconds += seconds;
    transcription.isCommitted = true;
  }

  /** Assigns cleared audio to the item that a model has begun to transcribe; otherwise it may still be transcribed. */
  clear(): void {
    const begun = [...this.#unbilled.values()].findLast(({ isCommitted }) => !isCommitted);
    if (begun === undefined) return;
    begun.seconds += this.#emptyBuffer();
    begun.isCommitted = true;
  }

  /** Removes a transcription that has ended. Audio that was not assigned to any item counts as its audio. */
  end(id: unknown): EndedTranscription {
    const transcription = this.#find(id);
    this.#unbilled.delete(this.#nameOf(id));
    const { model, seconds, isCommitted } = transcription;
    return {
      model,
      seconds: isCommitted ? seconds : seconds + this.#emptyBuffer(),
      delivered: deliveredTokens(transcription),
    };
  }

  /** Returns the usage by model if all transcriptions ended now; without those that have delivered nothing. */
  pendingUsage(): SessionUsage[] {
    const delivering = [...this.#unbilled.values()].filter((one) => deliveredTokens(one) > 0);
    return this.#sumByModel(delivering, estimateTranscriptionUsage);
  }

  /** Returns the expected usage by model of all audio that is not transcribed yet. */
  expectedUsage(): SessionUsage[] {
    const waiting = [...this.#unbilled.values()].filter(({ model }) => model !== undefined);
    const buffered = this.transcriber === undefined ? [] : [this.#create()];
    return this.#sumByModel([...waiting, ...buffered], (seconds) => estimateRecordingUsage(roundUp(seconds)));
  }

  /** Sums transcriptions by model, with the input buffer for the last one whose audio may be in it. */
  #sumByModel(
    transcriptions: readonly Transcription[],
    toUsage: (seconds: number, tokens: number) => Usage,
  ): SessionUsage[] {
    const sums = new Map<string | undefined, { seconds: number; tokens: number }>();
    const last = transcriptions.findLast(({ isCommitted }) => !isCommitted);
    for (const one of transcriptions) {
      const sum = sums.get(one.model) ?? { seconds: 0, tokens: 0 };
      sum.seconds += one.seconds + (one === last ? this.#buffered : 0);
      sum.tokens += deliveredTokens(one);
      sums.set(one.model, sum);
    }
    return [...sums].flatMap(([model, { seconds, tokens }]) =>
      seconds + tokens > 0 ? [{ model, usage: toUsage(Math.min(seconds, SECONDS_MAX), tokens) }] : [],
    );
  }

  #emptyBuffer(): number {
    const seconds = this.#buffered;
    this.#buffered = 0;
    return seconds;
  }

  #find(id: unknown): Transcription {
    const name = this.#nameOf(id);
    const transcription = this.#unbilled.get(name) ?? this.#create();
    this.#unbilled.set(name, transcription);
    return transcription;
  }

  #create(): Transcription {
    return { model: this.transcriber, seconds: 0, isCommitted: false, pieces: 0, segments: 0 };
  }

  #nameOf(id: unknown): string {
    const name = shortCopy(textOf(id) ?? '');
    return this.#unbilled.has(name) || this.#unbilled.size < TRANSCRIPTIONS_MAX ? name : '';
  }
}

/** Seconds whose tokens are the maximum of a report. */
const SECONDS_MAX = TOKENS_MAX / INPUT_TOKENS_PER_SECOND;

function deliveredTokens({ pieces, segments }: Transcription): number {
  return Math.max(pieces, segments);
}

/** Returns the usage of transcribed audio by its length and its text. */
export function estimateTranscriptionUsage(seconds: number, tokens: number): Usage {
  return {
    ...emptyUsage(),
    second: roundUp(seconds),
    audioInput: roundUp(seconds * INPUT_TOKENS_PER_SECOND),
    output: roundUp(tokens),
  };
}

/** Rounds up to a whole number, at most the tokens of a report; ignores floating-point errors. */
export function roundUp(amount: number): number {
  return Math.min(TOKENS_MAX, Math.max(0, Math.ceil(amount - 1e-6)));
}
