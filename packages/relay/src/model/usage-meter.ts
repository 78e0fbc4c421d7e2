import type { UpstreamError } from '../errors/upstream-error.ts';
import { PassingAudioLength } from '../media/audio-length.ts';
import { estimateTokens } from '../tokens/estimate-prompt-tokens.ts';
import { countBinaryCharacters, countWideCharacters, TextSample } from '../tokens/text-samples-and-counts.ts';
import { findModelFamily } from '../tokens/tokenizer-family.ts';
import type { ClientRequest } from './client-request.ts';
import type { Meter } from './dialect.ts';
import {
  conversationUsage,
  emptyUsage,
  outputTokens,
  promptTokens,
  type Usage,
  type UsageCounterName,
} from './usage.ts';

/** Part of a response reader that a meter reads; `sample` is absent if the text is added piece by piece. */
interface UsageSource extends Pick<Meter, 'usage' | 'audioSeconds'> {
  readonly sample?: string;
}

/** Meter that its owner writes to. */
export class WritableMeter implements Meter {
  deliveredCharacters = 0;
  deliveredWideCharacters = 0;
  deliveredBinaryCharacters = 0;
  deliveredImages = 0;
  endedChoices = 0;
  finished = false;
  servedModel: string | undefined = undefined;
  transcribedSeconds: number | undefined = undefined;
  /** Error that the upstream wrote into a 200 response. */
  error: UpstreamError | undefined = undefined;
  #bytes = 0;
  #audio: PassingAudioLength | undefined;
  readonly #ownSample = new TextSample();
  #ownUsage: Usage | undefined;
  readonly #source: UsageSource | undefined;

  /** @param source absent if the usage is set directly */
  constructor(source?: UsageSource) {
    this.#source = source;
  }

  get usage(): Usage | undefined {
    return this.#source === undefined ? this.#ownUsage : this.#source.usage;
  }

  set usage(usage: Usage | undefined) {
    this.#ownUsage = usage;
  }

  get deliveredSample(): string {
    return this.#source?.sample ?? this.#ownSample.toString();
  }

  addText(text: string): void {
    this.deliveredCharacters += text.length;
    this.deliveredWideCharacters += countWideCharacters(text);
    this.#ownSample.add(text);
  }

  get audioSeconds(): number | undefined {
    return this.#audio?.seconds ?? this.#source?.audioSeconds;
  }

  /** @param chunk part of a binary response, which may be as small as the network makes it */
  addAudio(chunk: Buffer): void {
    const before = countBinaryCharacters((this.#bytes * 4) / 3);
    this.#bytes += chunk.length;
    this.#addEquivalent(countBinaryCharacters((this.#bytes * 4) / 3) - before);
    this.#audio ??= new PassingAudioLength();
    this.#audio.add(chunk);
  }

  /** @param characters number of base64 characters */
  addBinary(characters: number): void {
    this.#addEquivalent(countBinaryCharacters(characters));
  }

  #addEquivalent(equivalent: number): void {
    this.deliveredCharacters += equivalent;
    this.deliveredBinaryCharacters += equivalent;
  }
}

/** Returns a snapshot of a meter. */
export function copyMeter(meter: Meter): Meter {
  const { usage, deliveredCharacters, deliveredWideCharacters, deliveredBinaryCharacters, deliveredSample } = meter;
  const { finished, servedModel, transcribedSeconds, audioSeconds, deliveredImages, endedChoices } = meter;
  return {
    usage,
    deliveredCharacters,
    deliveredWideCharacters,
    deliveredBinaryCharacters,
    deliveredImages,
    endedChoices,
    deliveredSample,
    finished,
    servedModel,
    transcribedSeconds,
    audioSeconds,
  };
}

/** Token counts of a `TokenizerInput`. */
export interface TokenCounts {
  prompt: number;
  answer: number;
}

/**
 * Returns whether the upstream reported everything that is billed. Every request has a prompt, and delivered text has
 * output tokens; a report without them is incomplete.
 */
export function isFullyReported({ usage, finished, deliveredCharacters }: Meter): boolean {
  if (usage === undefined || !finished || isDiscarded(usage, 'input') || isDiscarded(usage, 'output')) return false;
  const all = conversationUsage(usage);
  return promptTokens(all) > 0 && (outputTokens(all) > 0 || deliveredCharacters === 0);
}

/**
 * Returns the usage to bill for an incomplete report: counted with the model's vocabulary if that is known, else
 * estimated from the number of characters. Reported counters are kept (Anthropic reports the input first); the output
 * of a stream that broke off is at least the delivered amount. Zero if nothing was delivered.
 */
export function countedUsage(request: ClientRequest, read: Meter, counts?: TokenCounts): Usage {
  const meter = withoutToolImages(read);
  const usage = meter.usage ?? emptyUsage();
  const input = counts?.prompt ?? request.facts.inputTokensEstimate;
  // Audio and images have no sample.
  const isEstimated = counts === undefined || meter.deliveredSample.length === 0;
  const output = isEstimated ? estimateOutput(request, meter) : extrapolateTokens(counts.answer, meter);
  const isOutputKnown = meter.finished && outputTokens(usage) > 0 && !isDiscarded(usage, 'output');
  const isPromptKnown = promptTokens(usage) > 0 && !isDiscarded(usage, 'input');
  // Other runs delivered a part of the text, and reasoning is not delivered.
  const known = outputTokens(conversationUsage(usage)) - outputTokens(usage) + usage.reasoning;
  const isHidden = isDiscarded(usage, 'output') && usage.reasoning > output;
  return {
    ...usage,
    input: isPromptKnown ? usage.input : Math.max(0, input - promptTokens(usage)),
    output: isOutputKnown ? usage.output : Math.max(usage.output, isHidden ? output : output - known),
  };
}

/** Returns the meter without the size of images that a tool's model drew: they are charged as images of that model. */
function withoutToolImages(meter: Meter): Meter {
  const { usage, deliveredCharacters, deliveredBinaryCharacters = 0 } = meter;
  const hasToolImages = usage?.others?.some(({ tool }) => tool !== undefined) === true;
  if (!hasToolImages) return meter;
  return { ...copyMeter(meter), deliveredCharacters: deliveredCharacters - deliveredBinaryCharacters };
}

/** Returns whether a counter is zero because its report was implausible. */
export function isDiscarded(usage: Usage, counter: UsageCounterName): boolean {
  return usage[counter] === 0 && usage.implausible?.includes(counter) === true;
}

export function estimateOutput(request: ClientRequest, meter: Meter): number {
  const { deliveredCharacters, deliveredWideCharacters } = meter;
  return estimateTokens(findModelFamily(request.facts.model), deliveredCharacters, deliveredWideCharacters);
}

/** Extrapolates the sample's tokens to the whole response at the same density. */
function extrapolateTokens(sampleTokens: number, { deliveredSample, deliveredCharacters }: Meter): number {
  return Math.ceil(sampleTokens * Math.max(1, deliveredCharacters / deliveredSample.length));
}
