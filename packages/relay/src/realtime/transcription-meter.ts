import { shortCopy, textOf } from '../json/json.ts';
import { estimateRecordingUsage } from '../media/recording-usage.ts';
import { emptyUsage, TOKENS_MAX, type Usage } from '../model/usage.ts';

/** Usage of one model of a session. */
export interface SessionUsage {
  usage: Usage;
  /** Model that transcribes the client's audio; undefined: the session's model. */
  model: string | undefined;
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
